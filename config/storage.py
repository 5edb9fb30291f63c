"""Static files in production and demo: names that carry their content's digest, compressed once."""

from django.contrib.staticfiles.storage import HashedFilesMixin
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):
    """Also follows the imports of our ES modules, so that every module is fetched under its hashed name.

    Of ours only: examples in the comments of other packages name files that do not exist.
    """

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = ("js/*.js", HashedFilesMixin._js_module_import_aggregation_patterns[1])

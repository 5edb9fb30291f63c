"""Words of the table with their meaning at hand: a button that opens it, without a script."""

from typing import Any

from django import template

from games import glossary

register = template.Library()


@register.inclusion_tag("games/_learn_words.html")
def words(anchors: str) -> dict[str, Any]:
    """A row of words, by their anchors: `{% words "trump load" %}`. Once a page: the previews have ids."""
    known = {word.anchor: word for word in glossary.words()}
    return {"words": [known[anchor] for anchor in anchors.split()]}

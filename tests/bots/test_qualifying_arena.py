"""The whole way of an upload: page, broker, the arena's worker in its sandbox, stream, registrar, verdict, replay."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from bots.house import HOUSE
from bots.models import Bot, BotVersion, QualifyGame, QualifyRun
from bots.selectors import versions as selectors
from tests.accounts.factories import make_user
from tests.bots.test_uploads import CASES, IN_THE_ARENA
from tests.bots.uploading import GOOD, upload
from tests.conftest import poll

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("arena_shell"),
    pytest.mark.slow,
]

BAD = {
    "raises.py": (b"def play(view):\n    x = 1\n    return view.nothing\n", "fault.crash", "bot.py:3"),
    "foreign.py": (b"def play(view):\n    return 'AD' if 'AD' not in view.hand else '3D'\n", "fault.illegal", ""),
    "silent.py": (b"while True: pass\ndef play(view): pass\n", "fault.timeout", ""),
    "two.py": (b"def play(view): pass\nclass Bot:\n    def play(self, view): pass\n", "upload.no_form", ""),
}  # fmt: skip


def decided(version: BotVersion) -> BotVersion:
    poll(lambda: BotVersion.objects.get(pk=version.pk).state in {"qualified", "rejected"}, limit=90, every=0.1)
    return BotVersion.objects.get(pk=version.pk)


def test_uploads_go_through_the_arena_to_their_verdict(arena_and_registrar, client):
    owner = make_user(language="en")
    client.force_login(owner)
    answer = client.post(
        "/my/bots/", {"name": "Buono", "file": SimpleUploadedFile("buono.py", GOOD), "activates": "on"}
    )
    good = BotVersion.objects.get()
    bad = {name: upload(owner, name[:-3], content=content, filename=name) for name, (content, _, _) in BAD.items()}
    given = {name: (content, code) for name, (content, code) in CASES.items() if code in IN_THE_ARENA}
    for name, (content, _) in given.items():
        bad[name] = upload(owner, name[:-3], content=content, filename=name)

    good = decided(good)
    assert good.state == "qualified", good.report
    assert Bot.objects.get(pk=good.bot_id).active_version == good
    names = [check.check for check in selectors.checks(good)]
    assert names[:8] == [
        "unpack", "syntax", "form", "start", "self_play", "against_random", "against_greedy", "cold",
    ]  # fmt: skip
    assert names[-1] == "verdict"
    assert all(check.ok and check.message for check in selectors.checks(good))
    summary = selectors.summary(good)
    assert summary is not None
    assert [(result.opponent, result.deals) for result in summary.results] == [("Casuale", 10), ("Ingordo", 10)]
    assert summary.moves == 4 * 40 + 20 * 20
    games = QualifyGame.objects.filter(run__version=good)
    assert games.count() == 24
    page = client.get(answer.url).content.decode()
    assert "Qualified" in page
    for game in (games.first(), games.last()):
        replay = client.get(f"{answer.url}games/{game.pk}/")
        assert replay.context["replay"].total == len(game.plays) // 2

    expected = {name: (code, place) for name, (_, code, place) in BAD.items()}
    expected |= {"syntax_error.py": ("upload.syntax", "bot.py:1"), "empty.py": ("upload.no_form", "")}
    for name, version in bad.items():
        rejected = decided(version)
        assert rejected.state == "rejected", name
        failed = rejected.report[-2]
        code, place = expected[name]
        check = selectors.checks(rejected)[-2]
        assert (failed["code"], check.place) == (code, place), name
        assert check.message
        assert check.what_to_do
        if code.startswith("fault.") and code != "fault.timeout":
            assert '"type":"play"' in check.request
        shown = client.get(rejected.get_absolute_url()).content.decode()
        assert place in shown
        assert "What to do" in shown
        assert Bot.objects.get(pk=rejected.bot_id).active_version is None
    assert QualifyRun.objects.exclude(state="done").count() == 0


def test_the_house_bots_qualify_by_the_same_way(arena_and_registrar, capsys):
    call_command("install_house_bots", "--wait", "90")
    assert capsys.readouterr().out.count(": qualified") == len(HOUSE)
    assert Bot.objects.filter(is_house=True, active_version__state="qualified").count() == len(HOUSE)

"""From start to end: tiers and users, what a refusal says, and that nothing is left behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bots
from bots.sandbox import Limits, SandboxUnavailable, start_sandbox
from bots.sandbox.folders import PREFIX, RunFolder
from bots.sandbox.interpreter import find
from bots.sandbox.zygotes import Plan, Zygote, ZygoteError
from tests.bots.sandbox_driver import BOTS_UID, HONEST, SHORT, START, TIERS, move, open_folder, running

PROJECT = Path(bots.__file__).resolve().parent.parent
IS_ROOT = os.geteuid() == 0
ARENA_UID = 64_100


def poll(what: Callable[[], object], limit: float) -> None:
    end = time.monotonic() + limit
    while not what():
        assert time.monotonic() < end, f"not within {limit} s"
        time.sleep(0.01)


def is_gone(pid: int) -> bool:
    """No process, or one that only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in {"Z", "X"}
    except (FileNotFoundError, ProcessLookupError):
        return True


def listing(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def children() -> set[str]:
    return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())


@pytest.fixture
def base() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


# ---- tiers


@pytest.mark.parametrize("tier", TIERS)
def test_a_tier_that_holds_says_what_it_is(tier: str) -> None:
    said: list[str] = []
    with start_sandbox(tier, log=said.append) as sandbox:
        assert sandbox.tier == tier
        assert len(sandbox.policy) == 16
        assert sandbox.kernel == os.uname().release
        assert tuple(map(int, sandbox.python.split(".")[:2])) >= (3, 11)
        assert said == [f"sandbox tier {tier}, policy {sandbox.policy}, python {sandbox.python}"]
        with start_sandbox(tier) as again:
            assert again.policy == sandbox.policy


def test_auto_takes_the_best_tier_that_holds() -> None:
    with start_sandbox() as sandbox:
        assert sandbox.tier == TIERS[0]


def test_the_tiers_differ_in_their_policy() -> None:
    with start_sandbox("namespaces") as a, start_sandbox("landlock") as b, start_sandbox("unsafe") as c:
        assert len({a.policy, b.policy, c.policy}) == 3


def test_no_isolation_is_never_chosen_by_itself(monkeypatch: pytest.MonkeyPatch, base: Path) -> None:
    """A machine where every zygote fails: a real one, whose interpreter is not one."""
    monkeypatch.setattr("bots.sandbox.interpreter.CANDIDATES", ("/bin/false",))
    monkeypatch.setattr("bots.sandbox.zygote_sandbox.interpreter.find", lambda *_: "/bin/false")
    with pytest.raises(SandboxUnavailable) as refused:
        start_sandbox(base=base)
    said = str(refused.value)
    assert said == (
        "no sandbox tier holds here: namespaces: it did not start; landlock: it did not start"
    )  # fmt: skip
    assert list(base.iterdir()) == []


def test_a_probe_that_gets_through_is_a_refusal(monkeypatch: pytest.MonkeyPatch, base: Path) -> None:
    """The probe bites: a tier without its layers does not hold."""
    monkeypatch.setattr("bots.sandbox.zygote_sandbox.TIERS", {"namespaces": ("rlimits",), "landlock": ("landlock",)})
    with pytest.raises(SandboxUnavailable) as refused:
        start_sandbox(base=base)
    namespaces, landlock = str(refused.value).removeprefix("no sandbox tier holds here: ").split("; ")
    assert namespaces.startswith("namespaces: the probe could read passwd, open socket")
    assert landlock == "landlock: the probe could open socket, fork"
    assert list(base.iterdir()) == []


def test_a_tier_that_is_asked_for_by_name_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.sandbox.zygote_sandbox.TIERS", {"namespaces": (), "landlock": ("landlock",)})
    with pytest.raises(SandboxUnavailable, match=r"^no sandbox tier holds here: namespaces: the probe could "):
        start_sandbox("namespaces")
    with pytest.raises(SandboxUnavailable, match="there is no sandbox tier 'bwrap'"):
        start_sandbox("bwrap")


@pytest.mark.skipif(not IS_ROOT, reason="only root could run bots as root")
def test_bots_never_run_as_root() -> None:
    with pytest.raises(SandboxUnavailable, match="bots never run as root"):
        start_sandbox(uid=0)


def test_other_systems_are_told_to_use_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.sandbox.zygote_sandbox.sys.platform", "darwin")
    with pytest.raises(SandboxUnavailable, match="on Linux only, not on darwin"):
        start_sandbox()


@pytest.mark.skipif("namespaces" not in TIERS, reason="no user namespaces here")
def test_a_reason_names_the_step_that_failed(base: Path) -> None:
    folder = RunFolder(base)
    shutil.rmtree(folder.path / "bots")
    with pytest.raises(ZygoteError, match=r"^mount .*/bots on .*/root/store: No such file or directory$"):
        Zygote(Plan(find(BOTS_UID), folder.path, ("namespaces",), BOTS_UID))
    folder.delete()


def test_a_folder_that_bots_cannot_enter_is_a_refusal_with_a_reason(tmp_path: Path) -> None:
    if not IS_ROOT:
        pytest.skip("without root bots are the same user")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(SandboxUnavailable, match=r"^no sandbox tier holds here: namespaces: .*Permission denied"):
        start_sandbox(base=closed)
    assert list(closed.iterdir()) == []


# ---- nothing is left


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_a_thousand_starts_leave_no_process_descriptor_or_folder(tier: str, base: Path) -> None:
    before = children()
    with start_sandbox(tier, base=base) as sandbox:
        folder = sandbox.store.put({"bot.py": HONEST})
        zygote = sandbox._zygote._process.pid
        descriptors = listing("/proc/self/fd")
        theirs = listing(f"/proc/{zygote}/fd")
        for number in range(1_000):
            bot = sandbox.spawn(folder, limits=SHORT, seed=number)
            if number % 10 == 0:
                assert bot.ask(START, clock=SHORT.start_clock()).fault is None
            bot.close()
        assert listing("/proc/self/fd") == descriptors
        assert listing(f"/proc/{zygote}/fd") == theirs
        assert Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split() == []
        assert len(list(sandbox.store.folder.iterdir())) == 1
    assert children() == before
    assert list(base.iterdir()) == []


@pytest.mark.parametrize("tier", TIERS)
def test_closing_ends_every_bot(tier: str) -> None:
    with start_sandbox(tier) as sandbox:
        folder = sandbox.store.put({"bot.py": b"import time\ntime.sleep(60)\n"})
        pids = [sandbox.spawn(folder, limits=Limits(), seed=1).pid for _ in range(3)]
        assert not any(map(is_gone, pids))
    poll(lambda: all(map(is_gone, pids)), 1)


ARENA = """
import os, sys, time
from bots.sandbox import Limits, start_sandbox
sandbox = start_sandbox(sys.argv[1])
sources = b"import time\\ntime.sleep(60)\\n", b"while True: pass\\n", (
    b"import signal, time\\n"
    b"for number in range(1, 65):\\n"
    b"    try: signal.signal(number, signal.SIG_IGN)\\n"
    b"    except (OSError, ValueError): pass\\n"
    b"time.sleep(60)\\n")
living = [sandbox.spawn(sandbox.store.put({"bot.py": source}), limits=Limits(), seed=1) for source in sources]
pids = [sandbox._zygote._process.pid, *(bot.pid for bot in living)]
keeper = os.fork() if sys.argv[2] == "forked" else 0
if keeper or sys.argv[2] == "alone":
    print(*pids, keeper, sandbox.store.folder.parent, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("how", ["alone", "forked"])
@pytest.mark.parametrize("tier", TIERS)
def test_a_killed_arena_leaves_no_bot_after_a_second(tier: str, how: str) -> None:
    """Also when a fork of it holds the control socket open: then by the death signal of the kernel."""
    arena = subprocess.Popen([sys.executable, "-c", ARENA, tier, how], stdout=subprocess.PIPE, cwd=PROJECT, text=True)
    *pids, keeper, folder = arena.stdout.readline().split()
    arena.kill()
    poll(lambda: all(is_gone(int(pid)) for pid in pids), 1)
    arena.wait()
    if keeper != "0":
        assert not is_gone(int(keeper))
        os.kill(int(keeper), signal.SIGKILL)
        poll(lambda: is_gone(int(keeper)), 1)
    arena.stdout.close()
    assert len(pids) == 4
    # what it left on disk is found by the next sandbox, once it is a minute old
    os.utime(folder, (0, 0))
    RunFolder().delete()
    assert not Path(folder).exists()


def test_the_folder_of_a_living_sandbox_is_not_swept(base: Path) -> None:
    with start_sandbox(base=base) as sandbox:
        folder = sandbox.store.folder.parent
        os.utime(folder, (0, 0))
        RunFolder(base).delete()
        assert folder.exists()
        strange = base / (PREFIX + "link")
        strange.symlink_to(folder)
        RunFolder(base).delete()
        assert folder.exists()
        strange.unlink()


@pytest.mark.skipif(not IS_ROOT, reason="the kernel shows the pages of a confined process to root only")
@pytest.mark.parametrize("tier", TIERS)
def test_a_bot_shares_all_but_three_mebibytes_with_its_zygote(tier: str) -> None:
    with start_sandbox(tier) as sandbox, running(sandbox, HONEST) as bot:
        for number in range(2, 22):
            assert move(bot, n=number).fault is None
        lines = Path(f"/proc/{bot.pid}/smaps_rollup").read_text().splitlines()
    assert 1024 < sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) <= 3 * 1024


# ---- users


def as_user(uid: int) -> None:
    """What config/as_user.py does: groups, group, user, and no way back."""
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


def copied(target: Path) -> Path:
    """The part of the project that the arena's machine has."""
    for name in ("bots/sandbox", "games/engine"):
        shutil.copytree(PROJECT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(PROJECT / "bots/protocol.py", target / "bots/protocol.py")
    for name in ("bots", "games"):
        (target / name / "__init__.py").touch()
    return target


PLAY = """
import os, sys
from bots.protocol import play_message, to_line
from bots.sandbox import Limits, start_sandbox
from games.engine import Deal, Rules, shuffled
rules = Rules.preset("fantacarte", 2)
shuffle = shuffled(rules, bytes(32), "", 1)
deal, limits = Deal(rules, shuffle.deck, 1, shuffle.turned), Limits()
with start_sandbox(sys.argv[1]) as sandbox:
    folder = sandbox.store.put({"bot.py": b"def play(view):\\n    return view.legal[0]\\n"})
    bot = sandbox.spawn(folder, limits=limits, seed=1)
    assert bot.ask(b'{"type":"start","n":1}\\n', clock=limits.start_clock()).fault is None
    request = to_line(play_message(deal.observe(0), n=2, match="T", bank_cpu_ms=0))
    reply = bot.ask(request, clock=limits.move_clock(limits.bank()))
    uids = [line.split()[1] for line in open(f"/proc/{bot.pid}/status") if line.startswith("Uid")]
    bot.close()
    print(sandbox.tier, os.getuid(), uids[0], reply.line.decode())
"""


@pytest.mark.skipif(not IS_ROOT, reason="only root can become the arena's user")
@pytest.mark.parametrize("tier", TIERS)
def test_the_arenas_own_user_runs_bots_from_a_copy(tier: str, base: Path) -> None:
    """Uid 64100 has no passwd row, no home, no right to the checkout or its interpreter."""
    python = find(ARENA_UID)
    code = copied(base / "code")
    done = subprocess.run(
        [python, "-B", "-c", PLAY, tier],
        cwd="/",
        env={"PYTHONPATH": str(code)},
        preexec_fn=lambda: as_user(ARENA_UID),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    told, uid, bots_uid, line = done.stdout.split(maxsplit=3)
    assert (told, uid, bots_uid) == (tier, "64100", "64100")
    assert line.startswith('{"n":2,"card":"')


@pytest.mark.skipif(not IS_ROOT, reason="only root runs bots as another user")
def test_root_runs_bots_from_a_checkout_that_they_cannot_enter(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    code = copied(closed / "code")
    done = subprocess.run(
        [sys.executable, "-B", "-c", PLAY, "landlock"],
        cwd="/",
        env={"PYTHONPATH": str(code)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("landlock 0 64101 ")


def test_an_interpreter_that_the_user_cannot_run_is_passed_over(tmp_path: Path) -> None:
    closed = tmp_path / "python3"
    closed.write_text("#!/bin/sh\necho 3 12\n")
    closed.chmod(0o000)
    old = tmp_path / "python3.10"
    old.write_text("#!/bin/sh\necho 3 10\n")
    old.chmod(0o755)
    found = find(BOTS_UID, [str(closed), str(old), str(tmp_path / "none")])
    assert found not in {None, str(closed), str(old)}

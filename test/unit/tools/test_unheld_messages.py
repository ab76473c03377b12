"""Messages that no test holds get fewer."""

from pathlib import Path

import pytest

from tools import unheld_messages
from tools.unheld_messages import Message, main, messages, unheld

MOST = 133
"""How many there may be; it only gets smaller."""


def test_there_are_not_more() -> None:
    found = unheld()
    assert len(found) <= MOST, found


def test_what_is_a_message(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(unheld_messages, "ROOT", tmp_path)
    module = tmp_path / "a.py"
    module.write_text(
        'fail(op, f"{x} has no rows at all; write {y}")\nprint("something else")\n'
    )
    (message,) = messages(module)
    assert message == Message("a.py:1", ("has no rows at all; write",))
    assert message.longest == "has no rows at all; write"
    assert message.stands_in("match='has no rows at'")
    assert not message.stands_in("no rows at any time")


def test_they_are_listed_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--count"]) == 0
    count = int(capsys.readouterr().out)
    assert main([]) == 0
    assert len(capsys.readouterr().out.splitlines()) == count

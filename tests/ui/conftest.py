from __future__ import annotations

import pytest
from chat_fakes import FakeAssistant


@pytest.fixture
def fake() -> FakeAssistant:
    return FakeAssistant()

"""The project's distributions, built once for a process of the tests."""

import pytest
from support.distributions import Distributions, distributions


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """The source distribution and the wheel, unpacked."""
    return distributions(tmp_path_factory.mktemp("distributions"))

from collections.abc import Iterator

import pytest

from tests.embedded.product import Product


@pytest.fixture(scope="session")
def shared_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """One folder for all tests, since making a database takes longer than most of them."""
    product = Product(tmp_path_factory.mktemp("checkout") / "with a space")
    yield product
    product.remove()


@pytest.fixture
def product(shared_product: Product) -> Iterator[Product]:
    yield shared_product
    shared_product.clean_up()

"""What calls cost, from the price table that the `genai-prices` package maintains."""

from decimal import Decimal

from msgspec import Struct

_MILLION = 10**6


class Price(Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens read and a million written."""

    read: Decimal
    written: Decimal

    def cost(self, tokens_in: int, tokens_out: int) -> Decimal:
        """Return what so many tokens cost, in US dollars."""
        return (self.read * tokens_in + self.written * tokens_out) / _MILLION

    def times(self, share: Decimal) -> "Price":
        """Return a share of this price."""
        return Price(read=self.read * share, written=self.written * share)


FREE = Price(read=Decimal(0), written=Decimal(0))


def price_of(name: str) -> Price | None:
    """Return the price of a model by its `provider/model` name; None where nobody has stated it.

    Models that run here, mocks and records cost nothing; a self-hosted server's cost is its own.
    """
    from epc.engine.providers import NATIVE, PROVIDERS

    provider, _, model = name.removeprefix("inspect/").partition("/")
    if provider in ("local", "mock") or name.startswith("recorded:"):
        return FREE
    if provider in PROVIDERS and not PROVIDERS[provider].needs_key:
        return None
    if (known := {**PROVIDERS, **NATIVE}.get(provider)) is not None:
        provider = known.priced_as or provider
    from genai_prices import Usage, calc_price

    def dollars(tokens_in: int, tokens_out: int) -> Decimal:
        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        return calc_price(usage, model_ref=model, provider_id=provider).total_price

    try:
        return Price(read=dollars(_MILLION, 0), written=dollars(0, _MILLION))
    except LookupError:
        return None


def maker_of(model: str) -> str | None:
    """Return the provider that serves a model of its own; None where the table has none."""
    from genai_prices.data_snapshot import get_snapshot

    from epc.engine.providers import NATIVE, PROVIDERS

    try:
        provider, _ = get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return None
    names = {known.priced_as: known.name for known in (*PROVIDERS.values(), *NATIVE.values())}
    return names.get(provider.id, provider.id)

"""The currencies in which a dish may be priced: ISO 4217 codes of money that people pay with."""

from decimal import Decimal

_CODES = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS
INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP
MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR
SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV
WST XAF XCD XOF XPF YER ZAR ZMW ZWG
"""
CODES = frozenset(_CODES.split())

# Where a new cook's prices are likely to be in which currency, by country (ISO 3166).
_COUNTRIES = {
    "EUR": "AD AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA XK",
    "USD": "US PR EC SV PA",
    "GBP": "GB IM JE GG",
    "CHF": "CH LI",
    "DKK": "DK FO GL",
    "NOK": "NO SJ",
    "BRL": "BR", "ARS": "AR", "AUD": "AU", "CAD": "CA", "CLP": "CL", "COP": "CO", "CZK": "CZ", "INR": "IN",
    "JPY": "JP", "KRW": "KR", "MXN": "MX", "PEN": "PE", "PLN": "PL", "RON": "RO", "SEK": "SE", "TRY": "TR",
    "UYU": "UY", "ZAR": "ZA",
}  # fmt: skip
BY_COUNTRY = {country: code for code, countries in _COUNTRIES.items() for country in countries.split()}

# ISO 4217 gives these no hundredth.
WITHOUT_SMALL_COINS = frozenset(
    [
        "BIF",
        "CLP",
        "DJF",
        "GNF",
        "ISK",
        "JPY",
        "KMF",
        "KRW",
        "PYG",
        "RWF",
        "UGX",
        "VND",
        "VUV",
        "XAF",
        "XOF",
        "XPF",
    ]
)


def decimals_of(amount: Decimal, currency: str) -> int:
    """How many decimals an amount is written with. Half a won is no money, but a price that has it is not hidden."""
    return 0 if currency in WITHOUT_SMALL_COINS and amount == int(amount) else 2

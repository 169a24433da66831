"""Make the seed platform: 2,000 cooks, 200,000 customers, two days of menus. See docs/data.md."""

import time
from typing import Any

from django.contrib.auth.hashers import make_password
from django.core.management.base import BaseCommand, CommandError, CommandParser

from feeds.loading.platform import Plan, PlatformReport, Unseedable, seed_platform


class Command(BaseCommand):
    help = "Add a delivery platform of believable cooks, customers and menus to what is there already."

    def add_arguments(self, parser: CommandParser) -> None:
        plan = Plan()
        parser.add_argument("--cooks", type=int, default=plan.cooks)
        parser.add_argument("--customers", type=int, default=plan.customers)
        parser.add_argument(
            "--follows", type=int, default=plan.follows, help="cooks a customer follows, on average"
        )
        parser.add_argument(
            "--top-cook", type=int, default=plan.top_cook, help="followers of the most followed"
        )
        parser.add_argument("--days", type=int, default=plan.days, help="days of menus, up to now")
        parser.add_argument(
            "--active", type=float, default=plan.active, help="share of customers seen lately"
        )
        parser.add_argument(
            "--seed", type=int, default=plan.seed, help="the same number makes the same platform"
        )
        parser.add_argument("--password", help="everybody's (default: no sign-in with a password)")

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.monotonic()
        plan = Plan(**{name: options[name] for name in Plan.__slots__})
        try:
            report = seed_platform(plan, password=make_password(options["password"]))
        except Unseedable as error:
            raise CommandError(f"{error}\nNothing was made.") from None
        self._tell(plan, report, time.monotonic() - started)

    def _tell(self, plan: Plan, report: PlatformReport, seconds: float) -> None:
        self.stdout.write(f"Cooks          {plan.cooks:>10,}")
        self.stdout.write(
            f"Customers      {plan.customers:>10,}  ({plan.active:.0%} seen within the last days)"
        )
        self.stdout.write(f"Follows        {report.follows:>10,}")
        self.stdout.write(f"Menus          {report.menus:>10,}  ({report.dishes:,} dishes)")
        self.stdout.write(f"Most followed  {plan.top_cook:>10,}  followers: {report.top_cook}")
        self.stdout.write(f"A customer                 {report.some_customer}")
        self.stdout.write(f"Seconds        {seconds:>10.1f}")

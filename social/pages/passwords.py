"""Pages for who has forgotten the password: ask for a link by e-mail, follow it, choose another."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from social.errors import Forbidden, InvalidInput, TooManyRequests
from social.forms import AskForPasswordForm, NewPasswordForm
from social.limits import forget_guesses, limit_password_mail
from social.models import Account
from social.new_passwords import ask_for_new_password, link_tokens
from social.services import change_password
from social.viewing import say_when, show


@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The answer is the same whether anybody has that e-mail or not."""
    form = AskForPasswordForm(request.POST or None)
    if not form.is_valid():
        return show(request, "social/password_ask.html", {"form": form}, status=400 if form.errors else 200)
    email = form.cleaned_data["email"]
    try:
        limit_password_mail(request, email)
    except TooManyRequests as refusal:
        form.add_error(None, str(refusal))
        shown = show(request, "social/password_ask.html", {"form": form}, status=refusal.status)
        return say_when(refusal, shown)
    ask_for_new_password(email, site=request.build_absolute_uri("/"))
    return redirect("password-asked")


@require_safe
def asked(request: HttpRequest) -> HttpResponse:
    return show(request, "social/password_asked.html")


@method_decorator(sensitive_post_parameters(), name="dispatch")
class NewPassword(PasswordResetConfirmView):
    """Where the link leads. Django takes the token out of the address before it shows the form."""

    form_class = NewPasswordForm  # type: ignore[assignment]
    template_name = "social/password_new.html"
    success_url = reverse_lazy("sign-in")
    token_generator = link_tokens
    reset_url_token = "choose"
    http_method_names = ["get", "head", "post"]

    def get_user(self, uidb64: str) -> Account | None:
        """Not one that staff have suspended since, or that is being erased."""
        account = super().get_user(uidb64)
        off = (Account.Inactive.SUSPENDED, Account.Inactive.ERASING)
        return None if account is None or account.inactive_because in off else account

    def form_valid(self, form: Any) -> HttpResponse:
        account, password = self.user, form.cleaned_data["new_password"]
        assert account is not None
        try:
            change_password(account.pk, password=password, version=account.auth_version)
        except Forbidden:  # the same link was used twice at once
            return self.render_to_response({})
        except InvalidInput as refusal:
            form.add_error("new_password", refusal.errors["password"])
            return self.form_invalid(form)
        forget_guesses(self.request, account.username)
        self.request.session.flush()  # it knows the token, and maybe somebody who was signed in here
        words = _("Your password is changed, and you are signed out everywhere. Sign in with the new one.")
        messages.success(self.request, words)
        return redirect(self.get_success_url())

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        form = context.get("form")
        if form is None:
            return show(self.request, "social/password_link.html", status=400)
        return show(self.request, self.template_name, {"form": form}, status=400 if form.errors else 200)

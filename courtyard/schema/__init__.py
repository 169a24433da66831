"""The API's document: OpenAPI 3.1, made of the apps' tables of calls.

introduction  what holds for all calls, in words
refusals      errors: which code has which status, and when
document      how the tables become the document
views         /api/schema and /api/docs
"""

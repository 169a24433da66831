// Draws the API's document. Tokens stay in this page: they are gone when it is closed.
(() => {
  const place = document.getElementById("api");
  SwaggerUIBundle({
    url: place.dataset.schema,
    domNode: place,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null, // it would ask a foreign host
  });
})();

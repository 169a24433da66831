// Shows how a chosen picture will look: its middle, as the circle that stands for its owner.
const field = document.querySelector(".picture input[type=file]");
const canvas = document.querySelector(".picture canvas");

async function preview(file) {
  const said = document.querySelector(".picture [role=status]");
  const now = document.querySelector(".picture-now .avatar:not(canvas)");
  let picture = null;
  try {
    picture = file && (await createImageBitmap(file));
  } catch {
    // what the browser cannot read, the server may: it says so itself
  }
  if (file !== field.files[0]) return; // another one was chosen meanwhile
  said.textContent = picture ? said.dataset.chosen : file ? said.dataset.unreadable : "";
  canvas.hidden = !picture;
  now.hidden = Boolean(picture);
  if (!picture) return;
  const side = Math.min(picture.width, picture.height);
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2];
  canvas.getContext("2d").drawImage(picture, left, top, side, side, 0, 0, canvas.width, canvas.height);
  picture.close();
}

field?.addEventListener("change", () => preview(field.files[0]));

import assert from "node:assert/strict"
import { test } from "node:test"
import { html } from "./html.ts"

test("what is put into a page is escaped, unless it was built as HTML", () => {
  const sneaky = `<script>alert("x")</script>&'`
  assert.equal(
    html`<p>${sneaky}</p>`.text,
    "<p>&#60;script&#62;alert(&#34;x&#34;)&#60;/script&#62;&#38;&#39;</p>",
  )
  assert.equal(
    html`<p title="${sneaky}">${html`<b>${1}</b>`}${[html`a`, html`b`]}</p>`.text.endsWith(
      "<b>1</b>ab</p>",
    ),
    true,
  )
})

// Tests that templates as teams write them render like in `handlebars`, as HTML and as text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Handlebars from 'handlebars'
import { isTemplate, parseTemplate } from './parse.ts'
import { REAL_TEMPLATES } from './real-life.test-data.ts'
import { render } from './render.ts'

test('there are at least forty', () => assert.ok(REAL_TEMPLATES.length >= 40, `${REAL_TEMPLATES.length}`))

for (const { name, template: text, model } of REAL_TEMPLATES) {
  test(name, () => {
    const template = parseTemplate(text)
    if (!isTemplate(template)) throw new Error(JSON.stringify(template))
    const given = JSON.stringify(model)
    assert.equal(render(template, model, { html: true }), Handlebars.compile(text)(model))
    const asText = Handlebars.compile(text, { noEscape: true })(model)
    assert.equal(render(template, model, { html: false }), asText)
    assert.notEqual(asText, '')
    assert.equal(JSON.stringify(model), given, 'the model is only read')
  })
}

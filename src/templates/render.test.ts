// Tests rendering of stored templates to subject, HTML and text: layouts, text made from HTML, CSS, and errors.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openTestStore, usualDatabase } from '../../test/support/store.ts'
import { createTenant, type Tenant } from '../../test/support/tenant.ts'
import { until } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { openWorkspaces, type Workspaces } from '../../test/support/workspaces.ts'
import type { LayoutInput, TemplateInput } from '../model/template.ts'
import { hasUnsubscribeMark } from '../model/unsubscribe-link.ts'
import type { Store } from '../store/database/store.ts'
import { isRendered, type Rendered } from './render.ts'

describe('rendering', () => {
  let store: Store
  let tenant: Tenant
  let workspaces: Workspaces
  let made = 0
  before(async () => {
    store = await openTestStore(usualDatabase())
    tenant = await createTenant(store)
    workspaces = await openWorkspaces(store)
  })
  after(async () => {
    await workspaces.close()
    await store.close()
  })

  const editor = () => ({ ...tenant.owner, savedBy: 'key_1' })
  async function template(input: Partial<TemplateInput>): Promise<string> {
    const alias = `t${++made}`
    await workspaces.editTemplates.create(editor(), { alias, name: alias, subject: 's', ...input })
    return alias
  }
  async function layout(input: Partial<LayoutInput>): Promise<string> {
    const alias = `l${++made}`
    await workspaces.editLayouts.create(editor(), { alias, name: alias, ...input })
    return alias
  }
  const render = (alias: string, model: object = {}, around?: string) =>
    workspaces.templates.render(tenant.owner, { template: alias, layout: around, model })
  async function rendered(alias: string, model: object = {}, around?: string): Promise<Rendered> {
    const result = await render(alias, model, around)
    if (!isRendered(result)) throw new Error(JSON.stringify(result))
    const { origin, ...parts } = result
    assert.equal(origin?.template_alias, alias)
    return parts
  }
  async function problems(alias: string, model: object = {}, around?: string) {
    const result = await render(alias, model, around)
    assert.ok(!isRendered(result), JSON.stringify(result).slice(0, 1_000))
    return result.map(({ path, code }) => [path, code])
  }

  test('values are escaped in HTML, and in nothing else', async () => {
    const alias = await template({ subject: 'A {{v}}', html: '<p>{{v}}</p>', text: '{{v}}' })
    assert.deepEqual(await rendered(alias, { v: '<&>' }), {
      subject: 'A <&>',
      html: '<p>&lt;&amp;&gt;</p>',
      text: '<&>',
    })
  })

  test('each part goes into the same part of the layout, with the same model', async () => {
    const around = await layout({
      html: '<html>{{{ @content }}}<i>{{company}}</i></html>',
      text: '{{{@content}}}\n-- {{company}}',
    })
    const alias = await template({ html: '<b>{{v}}</b>', text: '{{v}}', layout: around })
    assert.deepEqual(await rendered(alias, { v: '&', company: 'M&S' }), {
      subject: 's',
      html: '<html><b>&amp;</b><i>M&amp;S</i></html>',
      text: '&\n-- M&S',
    })
  })

  test('another layout, or none, may be asked for', async () => {
    const [one, other] = [
      await layout({ html: '1{{{@content}}}' }),
      await layout({ html: '2{{{@content}}}' }),
    ]
    const alias = await template({ html: 'x', text: 't', layout: one })
    const htmlWith = async (around?: string) => (await rendered(alias, {}, around)).html
    assert.deepEqual([await htmlWith(), await htmlWith(other), await htmlWith('none')], ['1x', '2x', 'x'])
    assert.deepEqual(await problems(alias, {}, 'nowhere'), [['layout', 'not_found']])
  })

  test('what a template prints is not read as a template', async () => {
    const around = await layout({ html: '{{{@content}}}{{secret}}', text: '{{{@content}}}' })
    const alias = await template({ html: '{{{v}}}', text: '{{v}}', layout: around })
    const hostile = '{{secret}}{{#each l}}{{{ @content }}}'
    assert.deepEqual(await rendered(alias, { v: hostile, secret: 'S' }), {
      subject: 's',
      html: `${hostile}S`,
      text: hostile,
    })
  })

  test('text is made of the HTML when there is none', async () => {
    const html =
      '<style>p{color:red}</style><h1>Hi {{v}}</h1><p>Pay <a href="https://x.example/?a=1&amp;b=2">here</a></p><table><tr><td>A</td><td>1</td></tr><tr><td>B</td><td>2</td></tr></table><img src="cid:x" alt="Logo">'
    const { text } = await rendered(await template({ html }), { v: '<&>' })
    assert.equal(text, 'Hi <&>\n\nPay here (https://x.example/?a=1&b=2)\n\nA 1\nB 2\n\nLogo')
  })

  test('text that is made begins with a word', async () => {
    const alias = await template({ html: '<h1>{{title}}</h1><p>{{name}}</p>' })
    assert.equal((await rendered(alias, { name: 'A' })).text, 'A')
  })

  test('text that is made goes into the layout’s text; without that it is the text of all', async () => {
    const both = await layout({ html: '<p>Top</p>{{{@content}}}', text: 'TOP\n{{{@content}}}\nEND' })
    const html = await layout({ html: '<p>Top</p>{{{@content}}}' })
    const alias = await template({ html: '<p>In</p>' })
    assert.equal((await rendered(alias, {}, both)).text, 'TOP\nIn\nEND')
    assert.equal((await rendered(alias, {}, html)).text, 'Top\n\nIn')
  })

  test('a template of text alone stays without HTML, whatever the layout', async () => {
    const around = await layout({ html: '<p>{{{@content}}}</p>', text: '{{{@content}}}!' })
    assert.deepEqual(await rendered(await template({ text: 'x', layout: around })), {
      subject: 's',
      html: null,
      text: 'x!',
    })
  })

  test('CSS goes into style attributes when the template asks for it', async () => {
    const html =
      '<html><head><style>.a,.a:hover{color:red}[data-ogsc] .a{color:white}@media (max-width:1px){.a{color:blue}}</style></head><body><p class="a">{{{ @unsubscribe_url }}}</p><a href="{{{ @unsubscribe_url }}}">x</a></body></html>'
    const inlined = await rendered(await template({ html, text: 'x', inline_css: true }))
    assert.match(inlined.html ?? '', /<p class="a" style="color: ?red;?">/)
    assert.match(inlined.html ?? '', /@media \(max-width:1px\)/)
    // No attribute can express `:hover`.
    assert.match(inlined.html ?? '', /\.a:hover ?{ ?color: ?red/)
    assert.match(inlined.html ?? '', /\[data-ogsc\] \.a ?{ ?color: ?white/)
    assert.match(inlined.html ?? '', /href="{{{ @unsubscribe_url }}}"/)
    assert.equal((await rendered(await template({ html, text: 'x' }))).html, html)
  })

  test('of a style sheet for many templates only what has a place in this one is kept', async () => {
    const many = Array.from({ length: 500 }, (_, one) => `.unused${one}{color:red}`).join('')
    const html = `<style>${many}.a{color:red}@media print{.a{color:blue}}</style><p class="a">x</p>`
    const inlined = await rendered(await template({ html, text: 'x', inline_css: true }))
    assert.match(inlined.html ?? '', /<p class="a" style="color: ?red;?">/)
    assert.match(inlined.html ?? '', /@media print/)
    assert.ok(!inlined.html?.includes('unused'))
  })

  test('CSS is never fetched', async () => {
    const html =
      '<link rel="stylesheet" href="http://127.0.0.1:9/x.css"><link rel="stylesheet" href="file:///etc/passwd"><p>x</p>'
    const { html: inlined } = await rendered(await template({ html, text: 'x', inline_css: true }))
    assert.ok(!inlined?.includes('root:'))
  })

  test('the unsubscribe link stays a mark', async () => {
    const alias = await template({
      html: '<a href="{{@unsubscribe_url}}">x</a>',
      text: '{{{@unsubscribe_url}}}',
    })
    assert.deepEqual(await rendered(alias), {
      subject: 's',
      html: '<a href="{{{ @unsubscribe_url }}}">x</a>',
      text: '{{{ @unsubscribe_url }}}',
    })
  })

  test('what stands for the link while rendering is another word each time, so that no value can be it', async () => {
    // An operation turns the placeholder into visible text, which is no longer a link.
    const alias = await template({
      html: null,
      text: '{{#with @unsubscribe_url}}{{upper this}}{{/with}}{{v}}',
    })
    const { text: word } = await rendered(alias)
    assert.match(word ?? '', /^UNSUBSCRIBE-[0-9A-F]{32}$/)
    const { text: again } = await rendered(alias, { v: word?.toLowerCase() })
    assert.ok(
      again?.endsWith(word?.toLowerCase() as string) && !again.startsWith(word as string),
      again ?? '',
    )
  })

  test('a mark in a value is none, unless the value is printed as it is', async () => {
    const isMarked = (body: string | null): boolean => hasUnsubscribeMark(body ?? '')
    const escaped = await template({ html: '<p>{{v}} {{a}}{{b}}</p>', text: '{{v}} {{a}}{{b}}' })
    for (const v of ['{{{ @unsubscribe_url }}}', '{{@unsubscribe_url}}', '{{& @unsubscribe_url }}']) {
      const { html, text } = await rendered(escaped, { v, a: '{{', b: '@unsubscribe_url}}' })
      assert.deepEqual([isMarked(html), isMarked(text)], [false, false])
      assert.equal(text?.replaceAll('\u2060', ''), `${v} {{@unsubscribe_url}}`)
    }
    const made = await rendered(await template({ html: '<p>{{v}}</p>' }), { v: '{{@unsubscribe_url}}' })
    assert.deepEqual([isMarked(made.html), isMarked(made.text)], [false, false])
    const raw = await rendered(await template({ html: '{{{v}}}' }), {
      v: '<a href="{{@unsubscribe_url}}">x</a>',
    })
    assert.deepEqual([isMarked(raw.html), isMarked(raw.text)], [true, true])
  })

  test('all required paths that are missing or null are told', async () => {
    const alias = await template({ html: 'x', required: ['user.name', 'total', 'items', 'a.b.c'] })
    assert.deepEqual(await problems(alias, { user: { name: null }, total: 0, a: { b: 'x' } }), [
      ['template_model.user.name', 'required'],
      ['template_model.items', 'required'],
      ['template_model.a.b.c', 'required'],
    ])
    await rendered(alias, { user: { name: '' }, total: 0, items: [], a: { b: { c: false } } })
  })

  test('a subject gains no line break from a value', async () => {
    const alias = await template({ subject: 'Hi {{v}}', text: 'x' })
    for (const v of ['a\r\nBcc: b@c.example', 'a\nb', 'a\rb', 'a\0b']) {
      assert.deepEqual(await problems(alias, { v }), [['subject', 'invalid_characters']])
    }
    assert.equal((await rendered(alias, { v: 'a\u2028b' })).subject, 'Hi a\u2028b')
  })

  test('what goes over a bound is refused, and nothing more is rendered', async () => {
    const loop = '{{#each l}}{{#each @root.l}}{{#each @root.l}}x{{/each}}{{/each}}{{/each}}'
    const l = Array.from({ length: 10_000 }, () => 0)
    const code = 'too_many_steps'
    assert.deepEqual(await problems(await template({ html: loop, text: loop }), { l }), [['html', code]])
    const around = await layout({ html: `${loop}{{{@content}}}` })
    assert.deepEqual(await problems(await template({ html: 'x', layout: around }), { l }), [['html', code]])
  })

  test(
    'HTML that takes the libraries long is refused in time, and others go on',
    thorough('4 CPU s: HTML that takes libraries long, really rendered'),
    async () => {
      const alias = await template({ html: '{{{v}}}' })
      const started = Date.now()
      const inlined = await template({ html: '{{{v}}}', text: 't', inline_css: true })
      const [deep, long, large, good] = await Promise.all([
        problems(alias, { v: '<b>'.repeat(300_000) }),
        // The selector `b~i` makes the inliner compare each element with all previous elements.
        problems(inlined, { v: `<style>b~i{color:red}</style><b></b>${'<i></i>'.repeat(120_000)}` }),
        // A long rule that applies to many elements enlarges the HTML.
        problems(inlined, {
          v: `<style>p{color:red;a:${'x'.repeat(20_000)}}</style>${'<p>x</p>'.repeat(50_000)}`,
        }),
        rendered(alias, { v: '<p>fine</p>' }),
      ])
      for (const bad of [deep, long, large]) assert.deepEqual(bad, [['html', 'cannot_convert']])
      assert.equal(good.text, 'fine')
      assert.ok(Date.now() - started < 15_000)
    },
  )

  test('a template that takes steps is rendered in a thread, and gives the same', async () => {
    const alias = await template({
      html: '<p>{{#each l}}{{#if (equals this "a&b")}}{{this}},{{/if}}{{/each}}</p>',
      text: '{{#each l}}{{@index}}{{/each}}',
    })
    const l = (length: number) => Array.from({ length }, () => 'a&b')
    for (const length of [3, 3_000, 3]) {
      assert.deepEqual(await rendered(alias, { l: l(length) }), {
        subject: 's',
        html: `<p>${'a&amp;b,'.repeat(length)}</p>`,
        text: Array.from(l(length).keys()).join(''),
      })
    }
  })

  test('subject, HTML, text and layout share one budget of bytes', async () => {
    const around = await layout({ html: '{{{@content}}}', text: '{{{@content}}}' })
    const alias = await template({ subject: '{{s}}', html: '{{h}}', text: '{{t}}', layout: around })
    const x = (length: number) => 'x'.repeat(length)
    const fits = await rendered(alias, { s: x(100), h: x(400_000), t: x(599_900) })
    assert.equal(fits.text?.length, 599_900)
    assert.deepEqual(await problems(alias, { s: x(101), h: x(400_000), t: x(599_900) }), [
      ['text', 'output_too_long'],
    ])
  })

  test('a template with many tags is read in a thread, when it is saved and when it is sent', async () => {
    const html = '{{#if a}}{{b}}{{/if}}'.repeat(500)
    const alias = await template({ html: html, text: 't' })
    assert.equal((await rendered(alias, { a: 1, b: 'x' })).html, 'x'.repeat(500))
    await assert.rejects(template({ html: `${html}{{#each}}` }), /"each" is not closed/)
  })

  test('an edit is seen by the next rendering, a deletion too', async () => {
    const alias = await template({ text: 'one' })
    assert.equal((await rendered(alias)).text, 'one')
    await workspaces.editTemplates.replace(editor(), alias, { alias, name: alias, text: 'two' })
    assert.deepEqual(await rendered(alias), { subject: null, html: null, text: 'two' })
    await workspaces.editTemplates.remove(tenant.owner, alias)
    assert.deepEqual(await problems(alias), [['template', 'not_found']])
  })

  test('an edit elsewhere is seen within a moment', async () => {
    const alias = await template({ text: 'one' })
    assert.equal((await rendered(alias)).text, 'one')
    const elsewhere = await openWorkspaces(store)
    await elsewhere.editTemplates.replace(editor(), alias, { alias, name: alias, text: 'two' })
    await elsewhere.close()
    await until('it is seen', async () => (await rendered(alias)).text === 'two')
  })

  test('a template of another domain is not there', async () => {
    const alias = await template({ text: 'x' })
    const other = await createTenant(store)
    const result = await workspaces.templates.render(other.owner, {
      template: alias,
      layout: undefined,
      model: {},
    })
    assert.ok(!isRendered(result))
  })
})

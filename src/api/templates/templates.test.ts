// Tests the status codes of the endpoints of templates and layouts, and their owners.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { thorough } from '../../../test/support/thorough.ts'

describe('templates and layouts', () => {
  let app: TestApp
  let made = 0
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    app.call(method, `/v1${path}`, body)
  async function refused(answer: Promise<Answer>, status: number, code: string): Promise<Answer['body']> {
    const { status: got, body, headers } = await answer
    assert.equal(got, status, JSON.stringify(body))
    assert.equal(body.code, code)
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/)
    return body
  }
  const alias = (): string => `alias-${++made}`
  const newTemplate = (fields: object = {}): Promise<Answer['body']> =>
    ok(
      call('POST', '/templates', {
        alias: alias(),
        name: 'N',
        subject: 'S',
        html: '<p>{{v}}</p>',
        text: '{{v}}',
        ...fields,
      }),
      201,
    )
  const newLayout = (fields: object = {}): Promise<Answer['body']> =>
    ok(
      call('POST', '/layouts', {
        alias: alias(),
        name: 'L',
        html: '<html>{{{ @content }}}</html>',
        ...fields,
      }),
      201,
    )

  test('201 with all of the template, and where it is', async () => {
    const { status, body, headers } = await call('POST', '/templates', {
      alias: 'welcome.v1_a-b',
      name: 'Welcome',
      subject: 'Hi {{name}}',
      html: '<p>{{name}}</p>',
      text: 'Hi {{name}}',
      required: ['name', 'a.b'],
      inline_css: true,
      sample_model: { name: 'Ann', items: [{ n: 1 }] },
    })
    assert.equal(status, 201)
    assert.match(body.template_id, /^tpl_[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.equal(headers.get('location'), `/v1/templates/${body.template_id}`)
    const { template_id, created_at, updated_at, ...rest } = body
    assert.deepEqual(rest, {
      alias: 'welcome.v1_a-b',
      name: 'Welcome',
      subject: 'Hi {{name}}',
      layout: null,
      version: 1,
      html: '<p>{{name}}</p>',
      text: 'Hi {{name}}',
      required: ['name', 'a.b'],
      inline_css: true,
      sample_model: { name: 'Ann', items: [{ n: 1 }] },
    })
    assert.equal(created_at, updated_at)
    for (const reference of [template_id, 'welcome.v1_a-b']) {
      assert.deepEqual(await ok(call('GET', `/templates/${reference}`)), body)
    }
  })

  test('a PUT replaces all of it, and keeps the versions', async () => {
    const layout = await newLayout()
    const one = await newTemplate({ layout: layout.alias, required: ['v'] })
    assert.equal(one.layout, layout.alias)
    assert.equal((await newTemplate({ layout: 'none' })).layout, null)
    const two = await ok(call('PUT', `/templates/${one.alias}`, { name: 'Other', text: 'x' }))
    assert.deepEqual(
      [two.template_id, two.alias, two.name, two.subject, two.html, two.layout, two.required, two.version],
      [one.template_id, null, 'Other', null, null, null, [], 2],
    )
    await refused(call('GET', `/templates/${one.alias}`), 404, 'not_found')
    const url = `/templates/${one.template_id}/versions`
    const { data, next_cursor } = await ok(call('GET', `${url}?limit=1`))
    assert.deepEqual(
      data.map((row: { version: number }) => row.version),
      [2],
    )
    assert.match(data[0].saved_by, /^key_/)
    const page = await ok(call('GET', `${url}?limit=1&cursor=${next_cursor}`))
    assert.deepEqual([page.data[0].version, page.next_cursor], [1, null])
    const first = await ok(call('GET', `${url}/1`))
    assert.deepEqual(
      [first.alias, first.html, first.required, first.layout],
      [one.alias, one.html, ['v'], layout.layout_id],
    )
    const restored = await ok(call('POST', `${url}/1/restore`))
    assert.deepEqual({ ...restored, version: 1, updated_at: '' }, { ...one, updated_at: '' })
    assert.equal(restored.version, 3)
    for (const version of ['9', '0', 'x']) {
      assert.ok([404, 422].includes((await call('GET', `${url}/${version}`)).status))
    }
    await refused(call('POST', `${url}/9/restore`), 404, 'not_found')
    await refused(call('GET', `${url}?cursor=x`), 400, 'malformed_request')
  })

  test('a sample model stays through a PUT that leaves it out, goes with null, and comes back with its version', async () => {
    for (const noun of ['templates', 'layouts']) {
      const content = { name: 'N', html: noun === 'layouts' ? '{{{ @content }}}' : '<p>{{n}}</p>' }
      const model = { n: 'Ä<b>', list: [{ a: null }] }
      const made = await ok(call('POST', `/${noun}`, { ...content, sample_model: model }), 201)
      const url = `/${noun}/${made.template_id ?? made.layout_id}`
      assert.deepEqual((await ok(call('PUT', url, { ...content, name: 'O' }))).sample_model, model)
      assert.equal((await ok(call('PUT', url, { ...content, sample_model: null }))).sample_model, null)
      assert.deepEqual((await ok(call('GET', `${url}/versions/2`))).sample_model, model)
      assert.deepEqual((await ok(call('POST', `${url}/versions/2/restore`))).sample_model, model)
      const large = { n: 'x'.repeat(100_000) }
      const { body } = await call('PUT', url, { ...content, sample_model: large })
      assert.deepEqual(
        body.errors.map(({ path, code }: { path: string; code: string }) => [path, code]),
        [['sample_model', 'too_long']],
      )
      for (const wrong of ['x', [1], 1])
        await refused(call('PUT', url, { ...content, sample_model: wrong }), 422, 'validation_failed')
    }
  })

  test('409 for a PUT over a version that is not the newest any more', async () => {
    for (const noun of ['templates', 'layouts']) {
      const made = await (noun === 'templates' ? newTemplate() : newLayout())
      const put = (html: string, replaces_version?: unknown): Promise<Answer> =>
        call('PUT', `/${noun}/${made.alias}`, { alias: made.alias, name: 'N', html, replaces_version })
      const html = (word: string): string => (noun === 'layouts' ? `${word} {{{ @content }}}` : word)
      const both = await Promise.all([put(html('first'), 1), put(html('other'), 1)])
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
      const late = await refused(put(html('later'), 1), 409, 'conflict')
      assert.deepEqual([late.errors[0].path, late.errors[0].code], ['replaces_version', 'overtaken'])
      assert.equal((await ok(call('GET', `/${noun}/${made.alias}`))).version, 2)
      assert.equal((await ok(put(html('later'), 2))).version, 3)
      // A replacement without `replaces_version` replaces the current version.
      assert.equal((await ok(put(html('again')))).version, 4)
      for (const wrong of [0, '4', 1.5]) await refused(put(html('wrong'), wrong), 422, 'validation_failed')
      const posted = call('POST', `/${noun}`, { name: 'N', html: html('posted'), replaces_version: 1 })
      await refused(posted, 422, 'validation_failed')
    }
  })

  test('lists are newest first, without the parts, page by page', async () => {
    const [a, b] = [await newTemplate(), await newTemplate()]
    const { data, next_cursor } = await ok(call('GET', '/templates?limit=2'))
    assert.deepEqual(
      data.map((row: { template_id: string }) => row.template_id),
      [b.template_id, a.template_id],
    )
    assert.ok(!('html' in data[0]) && data[0].subject === 'S')
    assert.equal(next_cursor, a.template_id)
    assert.ok((await ok(call('GET', `/templates?cursor=${next_cursor}`))).data.length > 0)
    await refused(call('GET', '/templates?cursor=lay_1'), 400, 'malformed_request')
    await refused(call('GET', '/templates?limit=0'), 422, 'validation_failed')
    const [c, d] = [await newLayout(), await newLayout()]
    const layouts = await ok(call('GET', '/layouts?limit=2'))
    assert.deepEqual(
      layouts.data.map((row: { layout_id: string }) => row.layout_id),
      [d.layout_id, c.layout_id],
    )
  })

  test('204 for a deletion, then 404', async () => {
    const { template_id: id } = await newTemplate()
    const { status, body } = await call('DELETE', `/templates/${id}`)
    assert.deepEqual([status, body], [204, ''])
    await refused(call('DELETE', `/templates/${id}`), 404, 'not_found')
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/versions'],
      ['GET', '/versions/1'],
    ] as const) {
      await refused(call(method, `/templates/${id}${path}`), 404, 'not_found')
    }
    await refused(call('PUT', `/templates/${id}`, { name: 'x', text: 'x' }), 404, 'not_found')
    await refused(call('POST', `/templates/${id}/render`, {}), 404, 'not_found')
  })

  test('409 for a layout in use, and it stays', async () => {
    const layout = await newLayout()
    const template = await newTemplate({ layout: layout.layout_id })
    const body = await refused(call('DELETE', `/layouts/${layout.alias}`), 409, 'conflict')
    assert.ok(body.detail.includes(template.alias))
    await ok(call('GET', `/layouts/${layout.alias}`))
    await ok(call('DELETE', `/templates/${template.alias}`), 204)
    await ok(call('DELETE', `/layouts/${layout.alias}`), 204)
  })

  test('409 for an alias that another has', async () => {
    const { alias: taken } = await newTemplate()
    const body = await refused(
      call('POST', '/templates', { alias: taken, name: 'N', text: 'x' }),
      409,
      'conflict',
    )
    assert.equal(body.errors[0].path, 'alias')
    const other = await newTemplate()
    await refused(
      call('PUT', `/templates/${other.alias}`, { alias: taken, name: 'N', text: 'x' }),
      409,
      'conflict',
    )
    await newLayout({ alias: taken })
    await refused(
      call('POST', '/layouts', { alias: taken, name: 'N', text: '{{{@content}}}' }),
      409,
      'conflict',
    )
  })

  const invalid = async (
    path: string,
    body: object,
    ...expected: [path: string, code: string][]
  ): Promise<void> => {
    const { errors } = await refused(call('POST', path, body), 422, 'validation_failed')
    assert.deepEqual(
      errors.map((one: { path: string; code: string }) => [one.path, one.code]),
      expected,
      JSON.stringify(errors),
    )
  }

  test('422 for syntax, with line and column, part by part', async () => {
    const { errors } = await refused(
      call('POST', '/templates', {
        name: 'N',
        subject: '{{#if a}}',
        html: 'a\n {{#each}}x{{/each}}\n{{> p}}',
        text: '{{a',
      }),
      422,
      'validation_failed',
    )
    assert.deepEqual(
      errors.map((one: { path: string; code: string; line: number; column: number }) => [
        one.path,
        one.code,
        one.line,
        one.column,
      ]),
      [
        ['subject', 'template_syntax', 1, 1],
        ['html', 'template_syntax', 2, 2],
        ['html', 'template_syntax', 3, 1],
        ['text', 'template_syntax', 1, 1],
      ],
    )
    assert.match(errors[1].message, /^Line 2, column 2: /)
  })

  test('422 for fields that are wrong', async () => {
    const good = { name: 'N', text: 'x' }
    await invalid('/templates', { text: 'x' }, ['name', 'required'])
    await invalid('/templates', { name: ' ', text: 'x' }, ['name', 'required'])
    await invalid('/templates', { name: 'a\0', text: 'x' }, ['name', 'invalid_characters'])
    await invalid('/templates', { name: 'N' }, ['html', 'required'])
    await invalid('/templates', { name: 'N', html: '', text: null }, ['html', 'required'])
    for (const bad of [
      '1a',
      'a b',
      '-a',
      'ä',
      'a/b',
      '',
      'none',
      `tpl_${'0'.repeat(26)}`,
      `lay_${'0'.repeat(26)}`,
      'a\0',
    ]) {
      await invalid('/templates', { ...good, alias: bad }, ['alias', 'invalid_alias'])
    }
    await invalid('/templates', { ...good, alias: 'a'.repeat(101) }, ['alias', 'invalid_type'])
    await invalid('/templates', { ...good, html: 'x'.repeat(100_001) }, ['html', 'invalid_type'])
    await invalid('/templates', { ...good, html: '😀'.repeat(50_001) }, ['html', 'template_syntax'])
    await invalid('/templates', { ...good, subject: 'a\r\nb' }, ['subject', 'invalid_characters'])
    await invalid('/templates', { ...good, text: 'a\0' }, ['text', 'template_syntax'])
    await invalid(
      '/templates',
      { ...good, required: ['a..b', 'a b', 'ok'] },
      ['required[0]', 'invalid_path'],
      ['required[1]', 'invalid_path'],
    )
    await invalid('/templates', { ...good, layout: 'nowhere' }, ['layout', 'not_found'])
    await invalid('/templates', { ...good, html: '{{{ @content }}}' }, ['html', 'misplaced_content'])
    const unknown = await refused(
      call('POST', '/templates', { ...good, html: 'x\n{{#if a}}{{@unsubscribe_uri}}{{/if}}{{@name}}' }),
      422,
      'validation_failed',
    )
    assert.deepEqual(
      unknown.errors.map((one: { message: string }) => one.message),
      [
        'Line 2, column 12: There is no "@unsubscribe_uri"; did you mean "@unsubscribe_url"?',
        'Line 2, column 39: There is no "@name"; values of the model have no @.',
      ],
    )
    const link = 'misplaced_unsubscribe_url'
    await invalid('/templates', { ...good, subject: '{{@unsubscribe_url}}' }, ['subject', link])
    await invalid('/templates', { ...good, html: '{{url @unsubscribe_url}}' }, ['html', link])
    for (const tag of [
      '{{{ pm:unsubscribe_url }}}',
      '{{{pm:unsubscribe}}}',
      '<%asm_group_unsubscribe_raw_url%>',
      '%unsubscribe_url%',
      '%tag_unsubscribe_url%',
      '*|UNSUB|*',
    ]) {
      const html = `<p>x</p>\n<a href="${tag}">x</a>`
      const { errors } = await refused(
        call('POST', '/templates', { ...good, html }),
        422,
        'validation_failed',
      )
      assert.deepEqual(
        errors.map(({ code, line, column }: Record<string, unknown>) => [code, line, column]),
        [['foreign_unsubscribe_link', 2, 10]],
      )
    }
    await ok(
      call('POST', '/templates', { ...good, text: '{{unsubscribe}} 5%unsubscribed <% *| |* 50%% {name}' }),
      201,
    )
    await invalid('/layouts', { name: 'L', html: '{{{@content}}}{{@nothing}}' }, ['html', 'unknown_variable'])
    await invalid('/templates', { ...good, html: { type: 'Program', body: [] } }, ['html', 'invalid_type'])
    await invalid('/templates', { ...good, htm: 'x' }, ['htm', 'unknown_field'])
  })

  test('422 for a layout without its placeholder, or with more than one', async () => {
    const placeholder = (html: string) => ({ name: 'L', html })
    const wrong: [string, string] = ['html', 'invalid_placeholder']
    await invalid('/layouts', placeholder('x'), wrong)
    await invalid('/layouts', placeholder('{{{@content}}}{{{ @content }}}'), wrong)
    await invalid('/layouts', placeholder('{{@content}}'), wrong)
    await invalid('/layouts', placeholder('{{#if a}}{{{@content}}}{{else}}{{{@content}}}{{/if}}'), wrong)
    // The message would have no content if `a` is missing, and would repeat its content if `a` has several items.
    for (const block of ['if a', 'each a', 'with a', 'a', 'if @content']) {
      const [word = ''] = block.split(' ')
      await invalid('/layouts', placeholder(`{{#${block}}}{{{@content}}}{{/${word}}}`), wrong)
    }
    await invalid('/layouts', placeholder('{{{ @content.html }}}'), wrong)
    await invalid('/layouts', { name: 'L', html: '{{{@content}}}', text: 'x' }, [
      'text',
      'invalid_placeholder',
    ])
    await invalid('/layouts', { name: 'L' }, ['html', 'required'])
    await invalid('/layouts', { name: 'L', html: '{{{@content}}}', subject: 'x' }, [
      'subject',
      'unknown_field',
    ])
    await newLayout({ html: '{{& @content}}', text: '{{{@content}}}' })
  })

  test('400 for what is no JSON object, 404 for strange references', async () => {
    await refused(app.call('POST', '/v1/templates', '['), 400, 'malformed_request')
    await refused(app.call('POST', '/v1/templates', '[]'), 400, 'malformed_request')
    await refused(app.call('POST', '/v1/templates'), 400, 'malformed_request')
    for (const reference of [
      'nowhere',
      '__proto__',
      'constructor',
      '%00',
      `tpl_${'0'.repeat(26)}`,
      `lay_${'0'.repeat(26)}`,
    ]) {
      await refused(call('GET', `/templates/${reference}`), 404, 'not_found')
      await refused(call('GET', `/layouts/${reference}`), 404, 'not_found')
    }
  })

  test('401 and 403 as everywhere', async () => {
    const without = { authorization: 'Bearer x' }
    await refused(app.call('GET', '/v1/templates', undefined, without), 401, 'authentication_failed')
    const verification = { authorization: `Bearer ${app.playground.verification_key}` }
    await refused(app.call('GET', '/v1/layouts', undefined, verification), 403, 'key_kind_not_permitted')
    await refused(app.call('POST', '/v1/templates', {}, verification), 403, 'key_kind_not_permitted')
  })

  test('a draft is rendered without being saved, within a layout that is saved or not', async () => {
    const before = (await ok(call('GET', '/templates'))).data.length
    const draft = { subject: 'Hi {{name}}', html: '<p>{{name}}</p>', template_model: { name: 'A<' } }
    const { suggested_template_model: suggested, ...parts } = await ok(call('POST', '/render', draft))
    assert.deepEqual(suggested, { name: 'name' })
    assert.deepEqual(parts, { subject: 'Hi A<', html: '<p>A&lt;</p>', text: 'A<' })
    const layout = await newLayout()
    assert.equal(
      (await ok(call('POST', '/render', { ...draft, layout: layout.alias }))).html,
      '<html><p>A&lt;</p></html>',
    )
    const own = { layout_html: '<b>{{brand}}{{{ @content }}}</b>' }
    const within = await ok(call('POST', '/render', { html: '<p>{{name}}</p>', ...own }))
    assert.equal(within.html, '<b>brand<p>name</p></b>')
    assert.deepEqual(within.suggested_template_model, { name: 'name', brand: 'brand' })
    assert.equal((await ok(call('GET', '/templates'))).data.length, before)
  })

  test('422 for a draft, with line and column', async () => {
    const wrong = async (body: object): Promise<string[]> => {
      const { errors } = await refused(call('POST', '/render', body), 422, 'validation_failed')
      return errors.map((one: { path: string; line?: number; column?: number }) =>
        [one.path, one.line ?? '', one.column ?? ''].join(' ').trim(),
      )
    }
    assert.deepEqual(await wrong({}), ['html'])
    assert.deepEqual(await wrong({ html: 'a\n {{#if x}}' }), ['html 2 2'])
    assert.deepEqual(await wrong({ html: 'x', layout: 'nowhere' }), ['layout'])
    assert.deepEqual(await wrong({ html: 'x', layout_html: 'y' }), ['layout_html'])
    assert.deepEqual(await wrong({ html: 'x', layout_text: 'y\n{{' }), ['layout_text 2 1'])
    assert.deepEqual(await wrong({ html: 'x', required: ['a.b'], template_model: {} }), [
      'template_model.a.b',
    ])
    assert.deepEqual(await wrong({ html: 'x', name: 'N' }), ['name'])
  })

  test('render gives the parts, the problems, and a model to begin with', async () => {
    const layout = await newLayout({ html: '<i>{{company}}</i>{{{ @content }}}' })
    const { alias: name } = await newTemplate({ layout: layout.alias, subject: 'Hi {{v}}', required: ['v'] })
    const url = `/templates/${name}/render`
    const body = await ok(call('POST', url, { template_model: { v: '<1>', company: 'C' } }))
    assert.deepEqual(body, {
      subject: 'Hi <1>',
      html: '<i>C</i><p>&lt;1&gt;</p>',
      text: '<1>',
      suggested_template_model: { v: 'v', company: 'company' },
    })
    assert.equal((await ok(call('POST', url, { template_model: { v: 1 }, layout: 'none' }))).html, '<p>1</p>')
    const renderProblems = async (given: object) =>
      (await refused(call('POST', url, given), 422, 'validation_failed')).errors.map(
        (one: { path: string; code: string }) => `${one.path} ${one.code}`,
      )
    assert.deepEqual(await renderProblems({}), ['template_model.v required'])
    assert.deepEqual(await renderProblems({ template_model: { v: 1 }, layout: 'nowhere' }), [
      'layout not_found',
    ])
    assert.deepEqual(await renderProblems({ template_model: { v: 'a\nb' } }), ['subject invalid_characters'])
    assert.deepEqual(await renderProblems({ template_model: 'x' }), ['template_model invalid_type'])
    assert.deepEqual(await renderProblems({ template_modle: {} }), ['template_modle unknown_field'])
  })

  test('nothing of one domain is there for another', async () => {
    const tenant = await createTenant(app.store)
    const headers = { authorization: `Bearer ${tenant.sendingKey}` }
    const template = await newTemplate()
    const layout = await newLayout()
    const asOther = (method: string, path: string, body?: object) =>
      app.call(method, `/v1${path}`, body, headers)
    const put = { name: 'x', text: '{{{@content}}}' }
    for (const [noun, id, name] of [
      ['templates', template.template_id, template.alias],
      ['layouts', layout.layout_id, layout.alias],
    ]) {
      for (const reference of [id, name]) {
        const one = `/${noun}/${reference}`
        await refused(asOther('GET', one), 404, 'not_found')
        await refused(asOther('DELETE', one), 404, 'not_found')
        await refused(
          asOther('PUT', one, noun === 'templates' ? { name: 'x', text: 'x' } : put),
          404,
          'not_found',
        )
        await refused(asOther('GET', `${one}/versions`), 404, 'not_found')
        await refused(asOther('GET', `${one}/versions/1`), 404, 'not_found')
        await refused(asOther('POST', `${one}/versions/1/restore`), 404, 'not_found')
      }
      assert.deepEqual((await ok(asOther('GET', `/${noun}`))).data, [])
    }
    await refused(asOther('POST', `/templates/${template.alias}/render`, {}), 404, 'not_found')
    await refused(
      asOther('POST', '/templates', { name: 'x', text: 'x', layout: layout.layout_id }),
      422,
      'validation_failed',
    )
  })

  test('they are in the reference', thorough('0.7 CPU s: the whole reference'), async () => {
    const { paths } = await ok(app.call('GET', '/v1/openapi.json'))
    for (const noun of ['templates', 'layouts']) {
      const one = `/v1/${noun}/{id_or_alias}`
      assert.deepEqual(Object.keys(paths[`/v1/${noun}`]).sort(), ['get', 'post'])
      assert.deepEqual(Object.keys(paths[one]).sort(), ['delete', 'get', 'put'])
      assert.ok(paths[`${one}/versions/{version}/restore`].post)
    }
    assert.ok(paths['/v1/templates/{id_or_alias}/render'].post)
  })
})

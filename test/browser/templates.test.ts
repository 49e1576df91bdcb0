// Templates in a real browser: starters, duplicates, completion, checks, comparison of versions, and example programs
// that send a template.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Locator } from 'playwright-core'
import { STARTERS } from '../../dashboard/pages/templates/starters.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { until } from '../support/test-clock.ts'

const run = promisify(execFile)

describe('templates', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let owner: Person
  let domain: string
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    owner = await Person.loggedIn(app)
    domain = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    window = await DashboardWindow.open(browser, app)
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  const open = (path: string) => window.goto(`/domains/${domain}/${path}`)
  const button = (name: string | RegExp): Locator => window.page.getByRole('button', { name, exact: true })
  const preview = () => window.page.frameLocator('iframe[title="Preview"]').last().locator('body')

  /** Returns the note that the preview shows an earlier version. */
  const stale = () => window.page.getByText('of the last version that could be rendered').last()

  async function make(fields: object): Promise<Answer['body']> {
    const { status, body } = await owner.call('POST', `/api/domains/${domain}/templates`, fields)
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }

  async function type(label: string, text: string): Promise<void> {
    await window.page.getByLabel(label, { exact: true }).click()
    await window.page.keyboard.press('ControlOrMeta+A')
    await window.page.keyboard.insertText(text)
  }

  test('begin with a starter, whose model every user sees', async () => {
    const { page } = window
    await open('templates')
    await button('New template').first().click()
    await page.getByRole('radio', { name: /^Receipt/ }).click()
    assert.equal(await page.getByLabel('Alias').inputValue(), 'receipt')
    assert.deepEqual(await window.faults(), [])
    await button('Create').click()
    await page.waitForURL(/templates\/tpl_/)
    await preview().getByText('Oak bench').waitFor()
    await type('Model, as JSON', '{ "name": "Zoë", "order": { "number": "R-9", "items": [], "total": "0" } }')
    await preview().getByText('Thank you, Zoë').waitFor()
    await button('Save').click()
    await page.getByText('Version 2', { exact: true }).waitFor()
    const colleague = await DashboardWindow.open(browser, app)
    await colleague.goto(new URL(page.url()).pathname)
    const shown = colleague.page.frameLocator('iframe[title="Preview"]').last()
    await shown.getByText('Thank you, Zoë').waitFor()
    await colleague.close()
  })

  test('every starter renders with its model, and the checks find nothing', async () => {
    const { page } = window
    for (const starter of STARTERS) {
      const made = await make({ ...starter, alias: `starter-${starter.alias}` })
      await open(`templates/${made.template_id}`)
      await preview().getByText('Larch & Linden').first().waitFor()
      await page.getByText('Checks', { exact: true }).click()
      const notes = await page.locator('.findings li').allTextContents()
      // Links in the starters use domains that are reserved for examples.
      assert.deepEqual(
        notes.filter((note) => !/recipients cannot reach|mail programs (?:ignore|remove)/.test(note)),
        [],
        starter.name,
      )
      const { body } = await owner.call(
        'POST',
        `/api/domains/${domain}/templates/${made.template_id}/render`,
        {
          template_model: starter.sample_model,
        },
      )
      assert.doesNotMatch(`${body.subject} ${body.html} ${body.text}`, /\[object|undefined|NaN/)
      assert.doesNotMatch(body.html, /href=""/)
      const suggested = pathsOf(body.suggested_template_model)
      const given = pathsOf(starter.sample_model)
      assert.deepEqual(
        [...suggested].filter((path) => !given.has(path)),
        [],
        `variables of ${starter.name} that its model lacks`,
      )
    }
  })

  test('changes that are typed during a save stay unsaved', async () => {
    const { page } = window
    const made = await make({ alias: 'raced', name: 'Raced', html: '<p>old</p>' })
    await open(`templates/${made.template_id}`)
    await type('HTML part', '<p>sent</p>')
    const answer = Promise.withResolvers<void>()
    const sent = Promise.withResolvers<void>()
    await page.route(`**/templates/${made.template_id}`, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      const response = await route.fetch()
      sent.resolve()
      await answer.promise
      await route.fulfill({ response })
    })
    await button('Save').click()
    await sent.promise
    await type('HTML part', '<p>typed after</p>')
    answer.resolve()
    await page.getByText('Saved as version 2.').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await preview().getByText('typed after').waitFor()
    const htmlOf = async () =>
      (await owner.call('GET', `/api/domains/${domain}/templates/${made.template_id}`)).body.html
    assert.equal(await htmlOf(), '<p>sent</p>')
    await page.reload()
    await preview().getByText('typed after').waitFor()
    await page.getByText('Not saved').waitFor()
    // The draft is based on the saved version, so there is no conflict with another user's version.
    await button('Save').click()
    await page.getByText('Version 3', { exact: true }).waitFor()
    assert.equal(await htmlOf(), '<p>typed after</p>')
  })

  test('are tried by a stream that sends, to an address of any letters', async () => {
    const { page } = window
    const inbound = { alias: 'replies', name: 'Replies', kind: 'inbound', addresses: ['*@in.example.test'] }
    assert.equal((await owner.call('POST', `/api/domains/${domain}/streams`, inbound)).status, 201)
    const made = await make({ alias: 'tried', name: 'Tried', html: '<p>tried</p>', subject: 'Tried' })
    await open(`templates/${made.template_id}`)
    await button('Send test message').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Stream' }).click()
    await page.getByRole('option', { name: 'Broadcast' }).waitFor()
    assert.equal(await page.getByRole('option', { name: 'Replies' }).count(), 0)
    await page.getByRole('option', { name: 'Transactional' }).click()
    await dialog.getByLabel('To', { exact: true }).fill('zoë@receiver.example')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await dialog.getByText('The test message is queued.').waitFor()
    await page.keyboard.press('Escape')
    await window.closed()
  })

  test('are duplicated with their model, and with unsaved changes', async () => {
    const { page } = window
    const made = await make({
      alias: 'first',
      name: 'First',
      html: '<p>1 {{n}}</p>',
      sample_model: { n: 'one' },
    })
    await open(`templates/${made.template_id}`)
    await preview().getByText('1 one').waitFor()
    await type('HTML part', '<p>2 {{n}}</p>')
    await preview().getByText('2 one').waitFor()
    await button('More').click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    assert.equal(await page.getByLabel('Alias').inputValue(), 'copy-of-first')
    await button('Create').click()
    await page.getByRole('heading', { name: 'Copy of First' }).waitFor()
    const { body } = await owner.call('GET', `/api/domains/${domain}/templates/copy-of-first`)
    assert.deepEqual([body.html, body.sample_model], ['<p>2 {{n}}</p>', { n: 'one' }])
    const { body: original } = await owner.call('GET', `/api/domains/${domain}/templates/first`)
    assert.equal(original.html, '<p>1 {{n}}</p>')
  })

  test('variables and blocks are completed, in the editor and in full screen', async () => {
    const { page } = window
    const made = await make({
      ...{ alias: 'completed', name: 'Completed', html: '<p></p>' },
      sample_model: { order: { number: 7, items: [{ title: 'Tea' }] } },
    })
    await open(`templates/${made.template_id}`)
    const editor = page.getByLabel('HTML part', { exact: true })
    await editor.click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('{{#ea')
    const option = (name: RegExp) => page.getByRole('option', { name })
    await option(/^each/).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('{{order.num')
    await option(/^order\.number/).waitFor()
    assert.deepEqual(await window.faults('look'), [])
    await page.keyboard.press('Enter')
    await until('the editor has completed the variable', async () =>
      /\{\{order\.number\}\}/.test((await editor.textContent()) ?? ''),
    )
    await preview().getByText('7').waitFor()
    await button('Full screen').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('HTML part', { exact: true }).click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('{{#each order.items}}{{ti')
    await option(/^title\s*Tea/).waitFor()
    await page.keyboard.press('Escape')
    await option(/^title\s*Tea/).waitFor({ state: 'detached' })
    await dialog.waitFor()
    // The block is not closed, so the preview keeps the last version that could be rendered.
    await stale().waitFor()
    await window.settled()
    window.complaints.splice(0)
    assert.deepEqual(await window.faults('look'), [])
    await page.keyboard.press('Escape')
    await window.closed()
    await page.getByText('Not saved').waitFor()
  })

  test('checks name links, images and parts that do not work in mail', async () => {
    const { page } = window
    const made = await make({
      ...{ alias: 'wrong', name: 'Wrong', text: ' {{nothing}}', sample_model: { o: {}, nothing: '' } },
      html: '<style>p{color:red}</style><p>{{o}}<a href="/cart">Cart</a><a href="http://localhost:3000">Go</a><a href="{{none}}">Empty</a><img src="logo.png"><script>1</script></p>',
    })
    await open(`templates/${made.template_id}`)
    await page.getByText(/^Checks \(\d+\)$/).click()
    const texts = (await page.locator('.findings li').allTextContents()).join('\n')
    for (const finding of [
      /A link leads nowhere\. Line 1, column \d+ of the HTML\./,
      /hosts? that recipients cannot reach/,
      /An image has no alt text/,
      /mail programs remove this element/,
      /a placeholder or a missing value/,
      /logo\.png/,
    ])
      assert.match(texts, finding)
    // The sandbox of the preview has refused the scripts of the template.
    window.complaints.splice(0)
    assert.deepEqual(await window.faults('look'), [])
  })

  test('versions are compared, with the one before and with the current one', async () => {
    const { page } = window
    const lines = Array.from({ length: 30 }, (_, i) => `<p>line ${i}</p>`)
    const fields = { alias: 'versions', name: 'Versions' }
    const made = await make({ ...fields, html: lines.join('\n') })
    const put = (more: object) =>
      owner.call('PUT', `/api/domains/${domain}/templates/${made.template_id}`, { ...fields, ...more })
    await put({ html: lines.with(15, '<p>changed</p>').join('\n'), subject: 'New' })
    await put({ html: lines.with(3, '<p>third</p>').join('\n'), subject: 'New' })
    await open(`templates/${made.template_id}`)
    await button('Versions').click()
    await button('View version 2').click()
    const html = page.getByRole('region', { name: 'Changes of HTML' })
    await html.locator('ins').getByText('<p>changed</p>').waitFor()
    await html.locator('del').getByText('<p>line 15</p>').waitFor()
    assert.equal(await html.locator('ins, del').count(), 2)
    await page.getByRole('region', { name: 'Changes of Subject' }).waitFor()
    await page.getByText('Until the current version').click()
    await html.locator('ins').getByText('<p>third</p>').waitFor()
    await html.locator('del').getByText('<p>changed</p>').waitFor()
    assert.equal(await page.getByRole('region', { name: 'Changes of Subject' }).count(), 0)
    assert.deepEqual(await window.faults(), [])
    await page.keyboard.press('Escape')
    await window.closed()
  })

  test('the programs shown with a template send it as printed', async () => {
    const { page } = window
    const { sending_key: key, smtp } = app.playground
    const made = await make({
      ...{ alias: 'sent', name: "It's sent", html: '<p>{{name}}: {{quote}}</p>' },
      sample_model: { name: 'Zoë 🐎', quote: `"it's" \\ $HOME \`x\` ''' {{no}}` },
    })
    await open(`templates/${made.template_id}`)
    await button('Use in code').click()
    const dialog = page.getByRole('dialog')
    const program = async (name: string): Promise<string> => {
      await dialog.getByRole('tab', { name }).click()
      const text = (await dialog.locator('pre').textContent()) ?? ''
      return text
        .replaceAll('YOUR_KEY', key)
        .replaceAll('YOUR_USER_NAME', smtp.username)
        .replaceAll('YOUR_PASSWORD', smtp.password)
        .replaceAll('you@example.net', 'you@receiver.example')
    }
    await dialog.getByRole('tab', { name: 'SMTP' }).waitFor()
    assert.deepEqual(await window.faults(), [])
    const outputs = [
      (await run('sh', ['-c', await program('curl')])).stdout,
      (await run(process.execPath, ['--input-type=module', '-e', await program('Node')])).stdout,
      (await run(process.execPath, ['--input-type=module', '-e', await program('SMTP')])).stdout,
    ]
    for (const output of outputs) {
      const id = /msg_[0-9A-Z]{26}/.exec(output)?.[0] ?? output
      const { body } = await app.call('GET', `/v1/messages/${id}?include=content`)
      assert.equal(body.subject, "It's sent")
      assert.match(
        body.html,
        /Zoë 🐎: &quot;it&#x27;s&quot; \\ \$HOME &#x60;x&#x60; &#x27;&#x27;&#x27; \{\{no\}\}/,
      )
    }
    await page.keyboard.press('Escape')
    await window.closed()
  })
})

/** Returns the paths of all values in a template model; a list contributes the paths of its first item. */
function pathsOf(value: unknown, path = ''): Set<string> {
  if (Array.isArray(value)) return pathsOf(value[0], `${path}[]`)
  if (typeof value !== 'object' || value === null) return new Set([path])
  return new Set(Object.entries(value).flatMap(([name, one]) => [...pathsOf(one, `${path}.${name}`)]))
}

// Postmark's own client, unchanged except for the address, in all of its calls that the service knows.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AccountClient, Errors, type Models, ServerClient } from 'postmark'
import { TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { until } from '../support/test-clock.ts'

const FROM = 'The Shop <shop@example.test>'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Constants of the client's enumerations, which are no values of an ES module everywhere. */
const [STANDARD, LAYOUT] = ['Standard', 'Layout'] as unknown as [Models.TemplateTypes, Models.TemplateTypes]

describe("Postmark's client", () => {
  let app: TestApp
  let server: ServerClient
  let account: AccountClient
  let options: { readonly requestHost: string; readonly useHttps: boolean }
  before(async () => {
    app = await TestApp.start({
      host: {
        script({ verb, address }) {
          if (verb === 'RCPT' && address.startsWith('gone')) return '550 5.1.1 no such user'
          return undefined
        },
      },
    })
    options = { requestHost: `${new URL(app.app.url).host}/compat/postmark`, useHttps: false }
    server = new ServerClient(app.playground.sending_key, options)
    account = new AccountClient(await managementKey(app), options)
  })
  after(() => app.stop())

  const message = (more: Partial<Models.Message> = {}): Models.Message => ({
    ...{ From: FROM, To: 'ann@receiver.test', Subject: 'Hello', TextBody: 'Hello.' },
    ...more,
  })
  /** Sends to an address that does not exist, and returns the ID of the message once it has bounced. */
  const bounced = async (email: string): Promise<string> => {
    const { MessageID } = await server.sendEmail(message({ To: email }))
    await until('the message has bounced', async () => {
      const { MessageEvents } = await server.getOutboundMessageDetails(MessageID)
      return MessageEvents.some(({ Type }) => String(Type) === 'Bounced')
    })
    return MessageID
  }
  const bounceOf = (email: string): Promise<Models.Bounce> =>
    until('the bounce is listed', async () => {
      const { Bounces } = await server.getBounces({ count: 10, emailFilter: email })
      return Bounces[0]
    })

  test('sends a message with everything that it can express', async () => {
    const answer = await server.sendEmail(
      message({
        To: 'Ann <ann@receiver.test>, bob@receiver.test',
        Cc: 'cy@receiver.test',
        Bcc: 'dan@receiver.test',
        ReplyTo: 'help@example.test',
        HtmlBody: '<p>Hello <img src="cid:logo.png"></p>',
        Tag: 'greeting',
        Metadata: { order: '7' },
        Headers: [{ Name: 'X-Own', Value: 'yes' }],
        Attachments: [
          {
            Name: 'a.txt',
            Content: Buffer.from('file').toString('base64'),
            ContentType: 'text/plain',
            ContentID: null,
          },
          { Name: 'logo.png', Content: 'AAAA', ContentType: 'image/png', ContentID: 'cid:logo.png' },
        ],
      }),
    )
    assert.match(answer.MessageID, UUID)
    assert.deepEqual([answer.ErrorCode, answer.Message], [0, 'OK'])
    assert.equal(answer.To, 'Ann <ann@receiver.test>, bob@receiver.test')
    assert.deepEqual([answer.Cc, answer.Bcc], ['cy@receiver.test', 'dan@receiver.test'])
    const shown = await server.getOutboundMessageDetails(answer.MessageID)
    assert.deepEqual(
      [shown.Subject, shown.Tag, shown.Metadata, shown.MessageStream],
      ['Hello', 'greeting', { order: '7' }, 'outbound'],
    )
    assert.deepEqual(shown.To, [
      { Email: 'ann@receiver.test', Name: 'Ann' },
      { Email: 'bob@receiver.test', Name: null },
    ])
    assert.deepEqual(shown.Recipients.length, 4)
    for (const part of ['X-Own: yes', 'Reply-To: help@example.test', 'name=a.txt', '<logo.png>'])
      assert.ok(shown.Body.includes(part) || shown.Body.includes(part.replace('=a', '="a')), part)
    assert.equal((await server.getOutboundMessageDump(answer.MessageID)).Body, shown.Body)
  })

  test('sends a message to recipients in Bcc only', async () => {
    const answer = await server.sendEmail({ ...message({ Bcc: 'ann@receiver.test' }), To: '' })
    assert.equal('To' in answer, false)
    const shown = await server.getOutboundMessageDetails(answer.MessageID)
    assert.deepEqual([shown.To, shown.Bcc.length], [[], 1])
  })

  test('sends a batch; every message has its own result', async () => {
    const answers = await server.sendEmailBatch([
      message(),
      message({ To: 'nobody' }),
      message({ From: 'x@other.test' }),
      message({ Subject: '' }),
    ])
    assert.deepEqual(
      answers.map(({ ErrorCode }) => ErrorCode),
      [0, 300, 400, 300],
    )
    assert.match(answers[1]?.Message ?? '', /^Invalid 'To' address: 'nobody'\./)
    const many = await server.sendEmailBatch(Array.from({ length: 500 }, () => message()))
    assert.equal(many.filter(({ ErrorCode }) => ErrorCode === 0).length, 500)
    await assert.rejects(server.sendEmailBatch(Array.from({ length: 501 }, () => message())), { code: 410 })
  })

  test('sends templates, by number and by alias, one and many', async () => {
    const made = await server.createTemplate({
      ...{ Name: 'Welcome', Alias: 'welcome', Subject: 'Hi {{name}}', HtmlBody: '<p>{{name}}</p>' },
      TextBody: '{{name}}',
    })
    const templated = { From: FROM, To: 'ann@receiver.test', TemplateModel: { name: 'Ann', sum: 1.5 } }
    const byNumber = await server.sendEmailWithTemplate({ ...templated, TemplateId: made.TemplateId })
    assert.equal((await server.getOutboundMessageDetails(byNumber.MessageID)).Subject, 'Hi Ann')
    const answers = await server.sendEmailBatchWithTemplates([
      { ...templated, TemplateAlias: 'welcome', InlineCss: true },
      { ...templated, TemplateId: 999_999 },
      { ...templated, TemplateAlias: 'nonesuch' },
    ])
    assert.deepEqual(
      answers.map(({ ErrorCode }) => ErrorCode),
      [0, 1101, 1101],
    )
    for (const { Message } of answers.slice(1)) assert.match(Message, /not valid|not found|no template/)
    await server.deleteTemplate('welcome')
  })

  test('gets the error of each refusal', async () => {
    const stranger = new ServerClient('send_nonesuch', options)
    await assert.rejects(
      stranger.sendEmail(message()),
      (error: Error & { code: number; statusCode: number }) => {
        assert.ok(error instanceof Errors.InvalidAPIKeyError)
        assert.deepEqual([error.code, error.statusCode], [10, 401])
        return true
      },
    )
    const wrong: [Partial<Models.Message>, number][] = [
      [{ To: 'nobody' }, 300],
      [{ To: '' }, 300],
      [{ From: 'nobody' }, 300],
      [{ From: 'x@other.test' }, 400],
      [{ TextBody: '' }, 300],
      [{ MessageStream: 'nonesuch' }, 1235],
      [{ Headers: [{ Name: 'Date', Value: 'today' }] }, 300],
      [{ Attachments: [{ Name: 'a', Content: '?', ContentType: 'text/plain', ContentID: null }] }, 300],
    ]
    for (const [fields, code] of wrong) {
      await assert.rejects(server.sendEmail(message(fields)), (error: Error & { code: number }) => {
        assert.ok(error instanceof Errors.ApiInputError, String(error.stack))
        assert.equal(error.code, code, `${JSON.stringify(fields)}: ${error.message}`)
        return true
      })
    }
  })

  test('learns which recipients are inactive', async () => {
    const email = 'gone.inactive@receiver.test'
    await bounced(email)
    await assert.rejects(
      server.sendEmail(message({ To: email })),
      (error: Error & { recipients: string[] }) => {
        assert.ok(error instanceof Errors.InactiveRecipientsError)
        assert.deepEqual(error.recipients, [email])
        return true
      },
    )
    const partly = await server.sendEmail(message({ To: `${email}, ann@receiver.test` }))
    assert.equal(partly.ErrorCode, 0)
    assert.match(
      partly.Message,
      /these inactive addresses: gone\.inactive@receiver\.test\. Inactive recipients /,
    )
  })

  test('a repeat with the same Idempotency-Key gets the same answer and sends nothing', async () => {
    const email = 'gone.again@receiver.test'
    await bounced(email)
    const post = (path: string, body: object, key: string) =>
      app.callWith('POST', `/compat/postmark${path}`, body, {
        'x-postmark-server-token': app.playground.sending_key,
        'idempotency-key': key,
      })
    for (const [path, body] of [
      ['/email', message()],
      ['/email', message({ To: email })],
      ['/email', message({ To: `${email}, ann@receiver.test` })],
      ['/email/batch', [message({ To: email }), message()]],
      ['/templates', { Name: 'Once', Subject: 's', TextBody: 't' }],
    ] as const) {
      const key = `once ${JSON.stringify(body).length} ${path}`
      const first = await post(path, body, key)
      const again = await post(path, body, key)
      assert.deepEqual([again.status, again.body], [first.status, first.body], path)
    }
    const other = await post('/email', message({ Subject: 'Another' }), 'once')
    const reused = await post('/email', message({ Subject: 'Yet another' }), 'once')
    assert.equal(other.status, 200)
    assert.equal(reused.status, 422)
  })

  test('reads bounces and activates an address', async () => {
    const email = 'gone.active@receiver.test'
    const id = await bounced(email)
    const bounce = await bounceOf(email)
    assert.deepEqual(
      [bounce.Type, bounce.TypeCode, bounce.MessageID, bounce.Inactive, bounce.CanActivate, bounce.Subject],
      ['HardBounce', 1, id, true, true, 'Hello'],
    )
    const shown = await until('the bounce is found by its number', () =>
      server.getBounce(bounce.ID).catch(() => undefined),
    )
    assert.deepEqual(shown, bounce)
    assert.match((await server.getBounceDump(bounce.ID)).Body, /no such user/)
    const { Message, Bounce } = await server.activateBounce(bounce.ID)
    assert.deepEqual([Message, Bounce.Inactive], ['OK', false])
    await server.sendEmail(message({ To: email }))
    await assert.rejects(server.getBounce(1), { code: 1001 })
    const { Bounces, InactiveMails } = await until('the figures count the bounce', async () => {
      const stats = await server.getDeliveryStatistics()
      return stats.Bounces.some(({ Type }) => Type === 'HardBounce') ? stats : undefined
    })
    assert.ok(InactiveMails > 0)
    assert.equal(Bounces[0]?.Name, 'All')
    assert.deepEqual((await server.getBounces({ type: 'SpamComplaint' as Models.BounceType })).Bounces, [])
  })

  test('lists messages by count, offset and filters', async () => {
    for (const n of [1, 2, 3]) {
      await server.sendEmail(message({ Tag: 'listed', Subject: `Number ${n}`, Metadata: { n: String(n) } }))
    }
    const found = await server.getOutboundMessages({ tag: 'listed', count: 2 })
    assert.deepEqual(
      [Number(found.TotalCount), found.Messages.map(({ Subject }) => Subject)],
      [3, ['Number 3', 'Number 2']],
    )
    const last = await server.getOutboundMessages({ tag: 'listed', count: 2, offset: 2 })
    assert.deepEqual(
      [Number(last.TotalCount), last.Messages.map(({ Subject }) => Subject)],
      [3, ['Number 1']],
    )
    const filter = { count: 10, metadata_n: '2', fromEmail: 'shop@example.test' } as never
    assert.deepEqual(
      (await server.getOutboundMessages(filter)).Messages.map(({ Subject }) => Subject),
      ['Number 2'],
    )
    const none = { count: 10, tag: 'listed', fromEmail: 'other@example.test' }
    assert.deepEqual((await server.getOutboundMessages(none)).Messages, [])
    await assert.rejects(server.getOutboundMessages({ count: 501 }), { code: 403 })
    await assert.rejects(server.getOutboundMessageDetails('0199-nonesuch'), { code: 701 })
    assert.deepEqual((await server.getMessageOpens({ count: 5 })).Opens, [])
    assert.deepEqual((await server.getMessageClicks({ count: 5 })).Clicks, [])
    const [{ MessageID }] = found.Messages as [Models.OutboundMessage]
    assert.equal((await server.getMessageOpensForSingleMessage(MessageID)).TotalCount, 0)
    assert.equal((await server.getMessageClicksForSingleMessage(MessageID)).TotalCount, 0)
    assert.deepEqual((await server.getInboundMessages({ count: 5 })).InboundMessages, [])
    await assert.rejects(server.getInboundMessageDetails(MessageID), { code: 701 })
  })

  test('keeps templates and layouts', async () => {
    const layout = await server.createTemplate({
      ...{ TemplateType: LAYOUT, Name: 'Frame', Alias: 'frame-1' },
      ...{ HtmlBody: '<div>{{{ @content }}}</div>', TextBody: '{{{ @content }}}' },
    })
    assert.equal(layout.TemplateType, 'Layout')
    const made = await server.createTemplate({
      ...{ Name: 'Receipt', Alias: 'receipt-1', Subject: 'S', HtmlBody: '<p>{{a}}</p>', TextBody: '{{a}}' },
      LayoutTemplate: 'frame-1',
    })
    assert.ok(Number.isInteger(made.TemplateId) && made.TemplateId !== layout.TemplateId)
    const shown = await server.getTemplate(made.TemplateId)
    assert.deepEqual(
      [shown.Name, shown.Alias, shown.LayoutTemplate, shown.HtmlBody, shown.Active],
      ['Receipt', 'receipt-1', 'frame-1', '<p>{{a}}</p>', true],
    )
    assert.deepEqual(await server.getTemplate('receipt-1'), shown)
    await server.editTemplate('receipt-1', { Name: 'Renamed' })
    await server.editTemplate(made.TemplateId, { LayoutTemplate: null as never })
    const changed = await server.getTemplate('receipt-1')
    assert.deepEqual([changed.Name, changed.LayoutTemplate, changed.TextBody], ['Renamed', null, '{{a}}'])
    await server.editTemplate('receipt-1', { LayoutTemplate: 'frame-1' })
    await assert.rejects(server.deleteTemplate('frame-1'), { code: 1130 })
    const { Templates } = await server.getTemplates({ templateType: LAYOUT })
    assert.deepEqual(
      Templates.map(({ Alias }) => Alias),
      ['frame-1'],
    )
    const listed = await server.getTemplates({
      templateType: STANDARD as Models.TemplateTypes,
      layoutTemplate: 'frame-1',
    })
    assert.deepEqual([listed.TotalCount, listed.Templates[0]?.TemplateId], [1, made.TemplateId])
    assert.match((await server.deleteTemplate('receipt-1')).Message, /^Template \d+ removed\.$/)
    await server.deleteTemplate(layout.TemplateId)
    await assert.rejects(server.getTemplate('receipt-1'), (error: Error & { code: number }) => {
      assert.equal(error.code, 1101)
      assert.match(error.message, /not valid.*not found/)
      return true
    })
    await assert.rejects(server.createTemplate({ Name: 'Nothing', Subject: 'x' }), Errors.ApiInputError)
  })

  test('checks drafts of templates', async () => {
    const good = await server.validateTemplate({
      ...{ Subject: 'Hi {{name}}', HtmlBody: '<p>{{name}}</p>', TextBody: '{{name}}' },
      TestRenderModel: { name: 'Ann' },
    })
    assert.equal(good.AllContentIsValid, true)
    assert.deepEqual([good.Subject.RenderedContent, good.TextBody.RenderedContent], ['Hi Ann', 'Ann'])
    const wrong = await server.validateTemplate({ Subject: 'Hi {{name', HtmlBody: '<p>{{name}}</p>' })
    assert.deepEqual(
      [wrong.AllContentIsValid, wrong.Subject.ContentIsValid, wrong.HtmlBody.ContentIsValid],
      [false, false, true],
    )
    const [problem] = wrong.Subject.ValidationErrors as [{ readonly Line: number; readonly Message: string }]
    assert.ok(problem.Line === 1 && problem.Message.length > 5)
    const layout = await server.validateTemplate({
      ...{ TemplateType: LAYOUT, HtmlBody: '<div>{{{ @content }}}</div>' },
    } as Models.TemplateValidationOptions)
    assert.equal(layout.HtmlBody.ContentIsValid, true)
  })

  test('keeps message streams', async () => {
    const names = (await server.getMessageStreams()).MessageStreams.map(({ ID }) => ID)
    assert.ok(names.includes('outbound') && names.includes('broadcast'))
    const made = await server.createMessageStream({
      ...{ ID: 'news-1', Name: 'News', MessageStreamType: 'Broadcasts' },
    })
    assert.deepEqual(
      [made.ID, made.MessageStreamType, made.SubscriptionManagementConfiguration.UnsubscribeHandlingType],
      ['news-1', 'Broadcasts', 'Postmark'],
    )
    assert.equal((await server.editMessageStream('news-1', { Name: 'Newer' })).Name, 'Newer')
    assert.equal(String((await server.archiveMessageStream('news-1')).ID), 'news-1')
    const listed = await server.getMessageStreams({ messageStreamType: 'Broadcasts' } as never)
    assert.equal(
      listed.MessageStreams.some(({ ID }) => ID === 'news-1'),
      false,
    )
    const all = await server.getMessageStreams({ includeArchivedStreams: true } as never)
    assert.ok(all.MessageStreams.find(({ ID }) => ID === 'news-1')?.ArchivedAt)
    assert.equal((await server.unarchiveMessageStream('news-1')).ArchivedAt, null)
    assert.equal((await server.getMessageStream('outbound')).Name, 'Transactional')
    await assert.rejects(server.getMessageStream('nonesuch'), { code: 1226 })
  })

  test('keeps suppressions', async () => {
    const { Suppressions } = await server.createSuppressions('outbound', {
      Suppressions: [{ EmailAddress: 'left@receiver.test' }, { EmailAddress: 'nobody' }],
    })
    assert.deepEqual(
      Suppressions.map(({ EmailAddress, Status }) => [EmailAddress, Status]),
      [
        ['left@receiver.test', 'Suppressed'],
        ['nobody', 'Failed'],
      ],
    )
    const filter = { emailAddress: 'left@receiver.test' } as Models.SuppressionFilteringParameters
    const [row] = (await server.getSuppressions('outbound', filter)).Suppressions
    assert.deepEqual([row?.SuppressionReason, row?.Origin], ['ManualSuppression', 'Customer'])
    assert.ok((await server.getSuppressions('outbound')).Suppressions.length >= 1)
    const removed = await server.deleteSuppressions('outbound', {
      Suppressions: [{ EmailAddress: 'left@receiver.test' }, { EmailAddress: 'never@receiver.test' }],
    })
    assert.deepEqual(
      removed.Suppressions.map(({ Status }) => Status),
      ['Deleted', 'Deleted'],
    )
    assert.deepEqual((await server.getSuppressions('outbound', filter)).Suppressions, [])
    const complained = { email: 'spam@receiver.test', stream: 'transactional', reason: 'complaint' }
    await app.call('POST', '/v1/suppressions', complained)
    const kept = await server.deleteSuppressions('outbound', {
      Suppressions: [
        { EmailAddress: 'spam@receiver.test' },
        { EmailAddress: 'nobody' },
        { EmailAddress: 'a@b.test' },
      ],
    })
    assert.deepEqual(
      kept.Suppressions.map(({ Status }) => Status),
      ['Failed', 'Failed', 'Deleted'],
    )
    await assert.rejects(server.getSuppressions('nonesuch'), { code: 1226 })
  })

  test('keeps webhooks', async () => {
    const made = await server.createWebhook({
      Url: 'https://hook.example/pm',
      MessageStream: 'outbound',
      HttpAuth: { Username: 'u', Password: 'p' },
      Triggers: { Bounce: { Enabled: true, IncludeContent: false }, Delivery: { Enabled: true } },
    })
    assert.deepEqual(
      [made.Url, made.MessageStream, made.Triggers.Bounce.Enabled, made.Triggers.Open.Enabled],
      ['https://hook.example/pm', 'outbound', true, false],
    )
    const edited = await server.editWebhook(made.ID, { Triggers: { Open: { Enabled: true } } })
    assert.deepEqual([edited.Triggers.Open.Enabled, edited.Triggers.Bounce.Enabled], [true, true])
    assert.deepEqual(await server.getWebhook(made.ID), edited)
    assert.equal((await server.getWebhooks({ messageStream: 'outbound' })).Webhooks.length, 1)
    assert.equal((await server.getWebhooks({ messageStream: 'broadcast' })).Webhooks.length, 0)
    await assert.rejects(
      server.createWebhook({
        ...{ Url: 'https://hook.example/', HttpHeaders: [{ Name: 'a', Value: 'b' }] },
        Triggers: { Open: { Enabled: true } },
      }),
      /HttpHeaders/,
    )
    await server.deleteWebhook(made.ID)
    await assert.rejects(server.getWebhook(made.ID), { statusCode: 404 })
  })

  test('reads statistics', async () => {
    const [overview, sent, bounces, tracked, opens] = await Promise.all([
      ...[server.getOutboundOverview(), server.getSentCounts(), server.getBounceCounts()],
      ...[server.getTrackedEmailCounts(), server.getEmailOpenCounts()],
    ] as const)
    assert.ok('Sent' in overview && 'Sent' in sent && 'HardBounce' in bounces)
    assert.ok(tracked !== undefined && opens !== undefined)
    await server.getSpamComplaintsCounts({ fromDate: '2026-01-01', toDate: '2026-01-31' })
    await server.getClickCounts({ tag: 'x' })
    const location = await server.getClickLocation({ fromDate: '2026-1-5' })
    assert.deepEqual([location.Days, location.Text], [[], 0])
    assert.deepEqual((await server.getEmailOpenPlatformUsage()).Days, [])
    await assert.rejects(server.getClickBrowserUsage({ fromDate: 'soon' }), { code: 403 })
  })

  test('reads its server', async () => {
    const { Name, DeliveryType, ID } = await server.getServer()
    assert.deepEqual([Name, DeliveryType], ['example.test', 'Live'])
    const { Servers, TotalCount } = await account.getServers()
    assert.equal(TotalCount, Servers.length)
    assert.equal((await account.getServer(ID)).Name, 'example.test')
    await assert.rejects(server.editServer({ Name: 'x' }), { statusCode: 501 })
    await assert.rejects(account.createServer({ Name: 'x' }), { statusCode: 501 })
  })

  test('keeps domains, and copies templates between them', async () => {
    const made = await account.createDomain({ Name: 'pm.example' })
    assert.equal(made.Name, 'pm.example')
    assert.ok(made.DKIMHost.endsWith('._domainkey.pm.example') && made.DKIMTextValue.includes('p='))
    const { Domains } = await account.getDomains()
    assert.ok(Domains.some(({ ID, Name }) => ID === made.ID && Name === 'pm.example'))
    assert.equal((await account.getDomain(made.ID)).ReturnPathDomain, made.ReturnPathDomain)
    assert.equal((await account.verifyDomainDKIM(made.ID)).DKIMVerified, false)
    assert.equal((await account.verifyDomainReturnPath(made.ID)).ReturnPathDomainVerified, false)
    await assert.rejects(
      account.editDomain(made.ID, { ReturnPathDomain: 'b.pm.example' }),
      /ReturnPathDomain/,
    )
    const rotated = await account.rotateDomainDKIM(made.ID)
    assert.ok(rotated.DKIMPendingHost.endsWith('._domainkey.pm.example'))
    const { ID } = await server.getServer()
    await server.createTemplate({ Name: 'Pushed', Alias: 'pushed', Subject: 's', TextBody: 't' })
    const push = { SourceServerID: ID, DestinationServerID: made.ID }
    const tried = await account.pushTemplates({ ...push, PerformChanges: false })
    assert.deepEqual([tried.Templates[0]?.Action, tried.Templates[0]?.Alias], ['Create', 'pushed'])
    await account.pushTemplates({ ...push, PerformChanges: true })
    assert.equal((await account.pushTemplates({ ...push, PerformChanges: true })).TotalCount, 0)
    await server.deleteTemplate('pushed')
    await account.deleteDomain(made.ID)
    await assert.rejects(account.getDomain(made.ID), { code: 510 })
    await assert.rejects(account.getSenderSignatures(), { statusCode: 501 })
  })

  test('erases an address', async () => {
    const { MessageID } = await server.sendEmail(message({ To: 'erased@receiver.test' }))
    await until('the message has ended', async () => {
      const { MessageEvents } = await server.getOutboundMessageDetails(MessageID)
      return MessageEvents.some(({ Type }) => String(Type) === 'Delivered')
    })
    const removal = await account.requestDataRemoval({
      ...{ RequestedBy: 'me@example.test', RequestedFor: 'erased@receiver.test', NotifyWhenCompleted: false },
    })
    assert.equal(String(removal.Status), 'Pending')
    assert.deepEqual(await account.getDataRemovalStatus(removal.ID), { ...removal, Status: 'Done' })
    await assert.rejects(server.getOutboundMessageDetails(MessageID), { code: 701 })
  })

  test('sends one message to many', async () => {
    const bulk = { From: FROM, Subject: 'Hi {{name}}', TextBody: 'Hi {{name}}', Tag: 'bulk-1' }
    const { ID, Id, Status } = (await server.sendBulkEmail({
      ...bulk,
      Messages: ['Ann', 'Bob'].map((name) => ({ To: `${name}@receiver.test`, TemplateModel: { name } })),
    } as never)) as never as { ID?: string; Id: string; Status: string }
    assert.deepEqual([ID, Status], [undefined, 'Accepted'])
    const shown = await until('all messages are accepted', async () => {
      const view = await server.getBulkEmailStatus(Id)
      return String(view.Status) === 'Completed' ? view : undefined
    })
    assert.deepEqual([shown.TotalMessages, shown.PercentageCompleted], [2, 1])
    const messages = await until('both messages are listed', async () => {
      const { Messages } = await server.getOutboundMessages({ tag: 'bulk-1' })
      return Messages.length === 2 ? Messages : undefined
    })
    assert.deepEqual(messages.map(({ Subject }) => Subject).toSorted(), ['Hi Ann', 'Hi Bob'])
    await assert.rejects(
      server.sendBulkEmail({
        ...bulk,
        Messages: [{ To: 'a@receiver.test', Cc: 'b@receiver.test' }],
      } as never),
      /Messages\[0\]\.Cc/,
    )
  })
})

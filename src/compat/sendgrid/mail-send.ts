// Sending in the form of SendGrid: `mail/send`, and the batches of scheduled mail.

import type { Static } from 'typebox'
import type { MessageList } from '../../api/contract/message.ts'
import { senderFrom } from '../../api/domain-of-request.ts'
import { bodyProblems } from '../../http/body-rule.ts'
import { randomBase62 } from '../../lib/ids.ts'
import { invalidFields, Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'
import { problemsOfMessage, sendMany, sendOne } from '../send.ts'
import type { Translation } from '../translation.ts'
import { streamOfGroup } from './groups.ts'
import { type Mail, readMail } from './mail-in.ts'
import { BATCH_KEY, type MailContext, PersonalMessages, problemsOfMail } from './personalize.ts'
import { templateReference } from './template-ids.ts'

const noun = 'Mail'
const batchNoun = 'Scheduled sends'

/** Returns the stream of the unsubscribe group, and the fields of the template. */
async function contextOf(translation: Translation, mail: Mail): Promise<MailContext> {
  const { templateId, groupId } = mail
  const stream = groupId === undefined ? undefined : await streamOfGroup(translation, groupId)
  if (groupId !== undefined && stream === undefined) {
    const message =
      'There is no unsubscribe group with this ID; groups are the broadcast streams of the domain.'
    translation.reading.refuse('asm.group_id', message)
  }
  return { stream, template: templateId === undefined ? undefined : templateReference(templateId) }
}

/** Placeholders of unsubscribe links, which stand for the link of the broadcast stream. */
const UNSUBSCRIBE_LINKS =
  /<%\s{0,9}(?:asm_group_unsubscribe_raw_url|asm_group_unsubscribe_url|asm_global_unsubscribe_raw_url|asm_global_unsubscribe_url|asm_preferences_raw_url|asm_preferences_url)\s{0,9}%>/gi

/** Returns the mail of an unsubscribe group with our unsubscribe links. */
function withLinks(mail: Mail): Mail {
  const linked = (body: string | undefined): string | undefined =>
    body?.replace(UNSUBSCRIBE_LINKS, '{{{ @unsubscribe_url }}}')
  return { ...mail, html: linked(mail.html), text: linked(mail.text) }
}

async function send(translation: Translation): Promise<unknown> {
  const { reading, request, reply } = translation
  refuseSubuser(translation)
  const given = readMail(reading, request.body)
  translation.check(bodyProblems(request))
  const context = await contextOf(translation, given)
  translation.check()
  const mail = context.stream === undefined ? given : withLinks(given)
  const messages = new PersonalMessages(mail, context)
  translation.recipients = messages.recipients
  try {
    if (mail.isSandbox) {
      await tryAll(translation, messages)
      reply.code(200)
      return ''
    }
    reply.code(202).header('x-message-id', await submit(translation, messages))
    return ''
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error
    const problems = problemsOfMail(error.errors, messages.places)
    if (error.code === 'validation_failed') throw invalidFields(problems)
    throw new Problem(error.code, error.message, { errors: problems })
  }
}

/** Sends all messages or none; returns the ID of the first message, which stands for the request. */
async function submit(translation: Translation, messages: PersonalMessages): Promise<string> {
  const first = messages.at(0)
  if (messages.length === 1 && first !== undefined) return (await sendOne(translation, first)).message_id
  const { results } = await sendMany(translation, messages, { whole: true })
  const [one] = results
  const id = one !== undefined && 'message_id' in one ? one.message_id : ''
  translation.messageId = id
  return id
}

/** Checks all messages and sends none. Throws the problems of all messages, as sending does. */
async function tryAll(translation: Translation, messages: PersonalMessages): Promise<void> {
  const { request: http, services } = translation
  const sender = senderFrom(http, messages.at(0)?.request.from)
  for (let index = 0; index < messages.length; index++) {
    const message = messages.at(index)
    if (message === undefined) continue
    await services.submission
      .tryRequest(sender, message.request, problemsOfMessage(message))
      .catch((error) => {
        if (!(error instanceof Problem) || messages.length === 1) throw error
        const errors = error.errors.map((one) => ({ ...one, path: `[${index}].${one.path}` }))
        throw new Problem(error.code, error.message, { errors })
      })
  }
}

function refuseSubuser({ reading, request }: Translation): void {
  if (request.headers['on-behalf-of'] === undefined) return
  reading.refuse('On-Behalf-Of', 'There are no subusers; use a key of the other account.')
}

const isBatchId = (id: string): boolean => /^[A-Za-z0-9_-]{1,100}$/.test(id)

type Messages = Static<typeof MessageList>

/** Yields the messages of a batch that have a status. */
async function* messagesOf(
  translation: Translation,
  batchId: string,
  status: string,
): AsyncGenerator<Messages['data'][number]> {
  let cursor: string | null | undefined
  while (cursor !== null) {
    const query = {
      limit: 200,
      status,
      [`metadata.${BATCH_KEY}`]: batchId,
      ...(cursor === undefined ? {} : { cursor }),
    }
    const { body }: { readonly body: Messages } = await translation.v1<Messages>('messages.list', { query })
    yield* body.data
    cursor = body.next_cursor
  }
}

/** Returns the state of a batch as a list with one entry; an empty list if nothing of the batch was cancelled. */
async function stateOf(translation: Translation, batchId: string): Promise<object[]> {
  for await (const _ of messagesOf(translation, batchId, 'cancelled')) {
    return [{ batch_id: batchId, status: 'cancel' }]
  }
  return []
}

async function cancelBatch(
  translation: Translation,
  batchId: string,
  status: string | undefined,
): Promise<void> {
  const { reading } = translation
  if (!isBatchId(batchId)) reading.wrong('batch_id', 'invalid_value', 'Give the ID of a batch.')
  if (status === undefined) reading.wrong('status', 'required', 'Give the status cancel.')
  if (status === 'pause')
    reading.refuse('status', 'Scheduled mail cannot be paused; cancel it, and send it again.')
  translation.check()
  if (status !== 'cancel') return
  const ids: string[] = []
  for await (const { message_id } of messagesOf(translation, batchId, 'scheduled')) ids.push(message_id)
  for (const message_id of ids) {
    await translation.v1('messages.cancel', { params: { message_id } }).catch((error: unknown) => {
      // The message was sent meanwhile.
      if (!(error instanceof Problem) || error.code !== 'conflict') throw error
    })
  }
}

const SCHEDULED = new FieldNames('batch_id', 'status')
const CANCELLING =
  'Cancelling takes effect at once and only on mail that was accepted before; cancelled mail cannot be resumed. `pause` is refused.'

export const mailCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/v3/mail/send',
    noun,
    summary: 'Send mail',
    scope: 'messages:send',
    state: 'differs',
    differences:
      'A personalization with more than 50 recipients becomes several messages. Unsubscribe groups are broadcast streams. `ip_pool_name` and subusers are refused; Google Analytics, subscription tracking and the settings that bypass suppressions are ignored. With a template, substitutions are variables: `-name-` is `{{name}}`. `X-Message-Id` is the ID of the first message.',
    // The limit of SendGrid.
    body: { maxBytes: 30 * 1_048_576, problems: 'handler' },
    once: 'handler',
    handler: send,
  },
  {
    method: 'POST',
    path: '/v3/mail/batch',
    noun: batchNoun,
    summary: 'Create the ID of a batch',
    scope: 'messages:send',
    state: 'served',
    async handler({ reply }) {
      reply.code(201)
      return { batch_id: randomBase62(48) }
    },
  },
  {
    method: 'GET',
    path: '/v3/mail/batch/:batch_id',
    noun: batchNoun,
    summary: 'Check the ID of a batch',
    scope: 'messages:send',
    state: 'served',
    async handler(translation) {
      const batchId = translation.param('batch_id')
      if (!isBatchId(batchId)) translation.reading.wrong('batch_id', 'invalid_value', 'invalid batch id')
      translation.check()
      return { batch_id: batchId }
    },
  },
  {
    method: 'POST',
    path: '/v3/user/scheduled_sends',
    noun: batchNoun,
    summary: 'Cancel the scheduled mail of a batch',
    scope: 'messages:write',
    state: 'differs',
    differences: CANCELLING,
    async handler(translation) {
      const fields = translation.body(SCHEDULED)
      const batchId = fields.text('batch_id') ?? ''
      const status = fields.word('status', ['cancel', 'pause'])
      await cancelBatch(translation, batchId, status)
      translation.reply.code(201)
      return { batch_id: batchId, status }
    },
  },
  {
    method: 'PATCH',
    path: '/v3/user/scheduled_sends/:batch_id',
    noun: batchNoun,
    summary: 'Cancel the scheduled mail of a batch',
    scope: 'messages:write',
    state: 'differs',
    differences: CANCELLING,
    async handler(translation) {
      const status = translation.body(SCHEDULED).word('status', ['cancel', 'pause'])
      await cancelBatch(translation, translation.param('batch_id'), status)
      translation.reply.code(204)
      return ''
    },
  },
  {
    method: 'GET',
    path: '/v3/user/scheduled_sends/:batch_id',
    noun: batchNoun,
    summary: 'Show whether a batch is cancelled',
    scope: 'messages:read',
    state: 'served',
    handler: (translation) => stateOf(translation, translation.param('batch_id')),
  },
  {
    method: 'GET',
    path: '/v3/user/scheduled_sends',
    noun: batchNoun,
    summary: 'List cancelled batches',
    scope: 'messages:read',
    state: 'refused',
    differences: 'Ask for one batch, or use GET /v1/messages?status=cancelled.',
  },
  {
    method: 'DELETE',
    path: '/v3/user/scheduled_sends/:batch_id',
    noun: batchNoun,
    summary: 'Resume a cancelled batch',
    scope: 'messages:write',
    state: 'differs',
    differences: 'Only a batch without cancelled mail is resumed, which changes nothing.',
    async handler(translation) {
      const [cancelled] = await stateOf(translation, translation.param('batch_id'))
      if (cancelled !== undefined) {
        translation.reading.wrong('batch_id', 'conflict', 'Cancelled mail cannot be resumed; send it again.')
      }
      translation.check()
      translation.reply.code(204)
      return ''
    },
  },
]

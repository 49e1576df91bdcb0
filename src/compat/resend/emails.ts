// Sending, reading and changing emails in the form of Resend.

import type { Static } from 'typebox'
import { callerOf } from '../../api/caller.ts'
import type { MessageList, MessageView } from '../../api/contract/message.ts'
import { bodyProblems } from '../../http/body-rule.ts'
import { idOfUuid, uuidOfId } from '../../lib/ids.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { Problem } from '../../model/problem.ts'
import type { SendRequest } from '../../model/send-request.ts'
import type { Refused } from '../../submission/answer.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'
import { sendMany, sendOne, type TranslatedMessage } from '../send.ts'
import type { Translation } from '../translation.ts'
import { isTestEmail, NOT_A_TIME, readEmail, withoutMixture } from './email-in.ts'
import { emailEntry, emailView } from './email-out.ts'
import { messageOf } from './errors.ts'
import { pageOf } from './pages.ts'
import { readScheduledAt } from './scheduled-at.ts'

type View = Static<typeof MessageView>

const noun = 'Emails'

/** Rule for bodies with mail; the maximum size is that of Resend. */
const MAIL = { maxBytes: 40 * 1_048_576, problems: 'handler' } as const
/** Maximum number of emails in a batch. */
const MAX_BATCH = 100

const messageParam = (translation: Translation): { readonly message_id: string } => {
  const id = translation.param('id')
  return { message_id: idOfUuid('msg', id) ?? id }
}

const idOnly = ({ message_id }: { readonly message_id: string }): object => ({
  object: 'email',
  id: uuidOfId(message_id),
})

/** Returns a message with its content, if the key may read the content and the content still exists. */
async function find(translation: Translation): Promise<View> {
  const params = messageParam(translation)
  const get = async (query: object): Promise<View> =>
    (await translation.v1<View>('messages.get', { params, query: { ...query } })).body
  if (!callerOf(translation.request).scopes.has('content:read')) return get({})
  return get({ include: 'content' }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'content_removed') return get({})
    throw error
  })
}

/** Reads the emails of a batch; the problems of each email have paths within the email. */
async function emailsIn(translation: Translation, now: number): Promise<TranslatedMessage[]> {
  const { reading, request } = translation
  const emails = Array.isArray(request.body) ? (request.body as readonly unknown[]) : []
  if (emails.length === 0 || emails.length > MAX_BATCH) {
    reading.wrong('', 'invalid_value', `A batch has 1 to ${MAX_BATCH} emails, not ${emails.length}.`)
  }
  translation.check(bodyProblems(request))
  return emails.map((email, index) => {
    const before = reading.problems.length
    const translated = readEmail(reading, email, now, `[${index}]`) as SendRequest
    const prefix = new RegExp(`^\\[${index}\\]\\.?`)
    const problems = reading.problems
      .splice(before)
      .map((problem) => ({ ...problem, path: problem.path.replace(prefix, '') }))
    return { request: translated, problems }
  })
}

/** Returns the sentence about a refused email of a batch. */
const reasonOf = ({ detail, errors }: Refused): string => (errors.length === 0 ? detail : messageOf(errors))

const sendingCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/emails',
    noun,
    summary: 'Send an email',
    scope: 'messages:send',
    state: 'differs',
    differences:
      'Tags become metadata; labels in the header fields of django-anymail and Symfony become tags and metadata. `topic_id` is refused. Attachments by `path` are fetched over https within ten seconds. Mail to addresses at `resend.dev` alone goes to the [test inbox](testing.md) `Test mode` of the account; other recipients beside them are refused.',
    body: MAIL,
    once: 'handler',
    async handler(translation) {
      const { reading, request, services } = translation
      const email = readEmail(reading, request.body, services.clock.now()) as SendRequest
      const isTest = isTestEmail(email)
      const message = withoutMixture({ request: email, problems: reading.problems }, isTest)
      const sent = await sendOne(translation, message, { isTest })
      return { id: uuidOfId(sent.message_id) }
    },
  },
  {
    method: 'POST',
    path: '/emails/batch',
    noun,
    summary: 'Send up to 100 emails',
    scope: 'messages:send',
    state: 'served',
    body: MAIL,
    takesArray: true,
    once: 'handler',
    async handler(translation) {
      const emails = await emailsIn(translation, translation.services.clock.now())
      const isTest = emails.every(({ request }) => isTestEmail(request))
      const messages = emails.map((one) => withoutMixture(one, isTest))
      const validation = String(translation.request.headers['x-batch-validation'] ?? 'strict')
      const isPermissive = validation.trim().toLowerCase() === 'permissive'
      const { results } = await sendMany(translation, messages, { whole: !isPermissive, isTest })
      const data = results.flatMap((one) => ('message_id' in one ? [{ id: uuidOfId(one.message_id) }] : []))
      if (!isPermissive) return { data }
      const errors = [...results.entries()].flatMap(([index, one]) =>
        'code' in one ? [{ index, message: reasonOf(one) }] : [],
      )
      return { data, errors }
    },
  },
]

const readingCalls: readonly VendorCall[] = [
  {
    method: 'GET',
    path: '/emails',
    noun,
    summary: 'List sent emails',
    scope: 'messages:read',
    state: 'served',
    handler: (translation) =>
      pageOf<Static<typeof MessageList>['data'][number]>(translation, {
        operation: 'messages.list',
        prefix: 'msg',
        idOf: ({ message_id }) => message_id,
        view: emailEntry,
      }),
  },
  {
    method: 'GET',
    path: '/emails/:id',
    noun,
    summary: 'Retrieve an email',
    scope: 'messages:read',
    state: 'differs',
    differences:
      '`html` and `text` are null if the key lacks the scope `content:read`, or the content was removed.',
    handler: async (translation) => emailView(await find(translation)),
  },
  {
    method: 'PATCH',
    path: '/emails/:id',
    noun,
    summary: 'Change the time of a scheduled email',
    scope: 'messages:write',
    state: 'served',
    async handler(translation) {
      const { reading, services } = translation
      const text = translation.body(new FieldNames('scheduled_at')).text('scheduled_at')
      const at = text === undefined ? undefined : readScheduledAt(text, services.clock.now())
      if (text === undefined) reading.wrong('scheduled_at', 'required', 'Give the new time.')
      else if (at === undefined) reading.wrong('scheduled_at', 'invalid_time', NOT_A_TIME)
      const { body } = await translation.v1<View>('messages.update', {
        params: messageParam(translation),
        body: { send_at: formatTime(at ?? null) },
      })
      return idOnly(body)
    },
  },
  {
    method: 'POST',
    path: '/emails/:id/cancel',
    noun,
    summary: 'Cancel a scheduled email',
    scope: 'messages:write',
    state: 'served',
    async handler(translation) {
      const params = messageParam(translation)
      await translation.v1('messages.cancel', { params })
      return { object: 'email', id: translation.param('id') }
    },
  },
]

export const emailCalls: readonly VendorCall[] = [...sendingCalls, ...readingCalls]

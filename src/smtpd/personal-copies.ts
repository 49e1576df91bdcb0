// Submits a message as copies, each for one recipient and with the recipient's substitutions.

import type { RawMessage } from '../mime/raw-message.ts'
import { readContent } from '../mime/read-content.ts'
import { parseMailboxList } from '../mime/read-mailboxes.ts'
import type { MailboxInput, SendRequest } from '../model/send-request.ts'
import type { MimeSubmission, SubmittedRequest } from '../submission/accept.ts'
import type { Submitted } from '../submission/answer.ts'
import type { Sender } from '../submission/authorize.ts'
import type { Submission } from '../submission/submit.ts'
import { type LiteralText, Substitutions } from '../template-language/literal.ts'
import { RenderBudget, RenderRefusal } from '../template-language/render.ts'
import { requestOf } from './message-as-request.ts'
import { Refusal } from './replies.ts'
import type { PersonalCopies } from './vendor-fields.ts'

/** A message to be sent as copies. */
interface CopiedMessage {
  readonly raw: RawMessage
  readonly bytes: Buffer
  readonly message: MimeSubmission
  readonly copies: PersonalCopies
}

/** Limits of filling the texts of one copy. */
const FILL_LIMITS = { steps: 400_000, bytes: 25 * 1024 * 1024 }

/**
 * Submits all copies or none; returns the response to the first copy.
 *
 * @throws Refusal for a message that cannot be copied, and Problem if a copy is refused
 */
export async function submitCopies(
  submission: Submission,
  sender: Sender,
  { raw, bytes, message, copies }: CopiedMessage,
): Promise<Submitted> {
  if (message.template !== null) throw refusal('A message with a template cannot have substitutions')
  const shared = await requestOf(raw, bytes, message)
  const { text, html } = await readContent(bytes)
  const recipients = recipientsOf(copies, message)
  const { cc: _cc, bcc: _bcc, ...fields } = shared
  const base = {
    ...fields,
    ...message.tracking,
    ...(message.stream === null ? {} : { stream: message.stream }),
    ...(message.sendAt === undefined ? {} : { send_at: new Date(message.sendAt).toISOString() }),
  }
  const texts = textsOf({ subject: shared.subject, text, html }, copies)
  const at = (index: number): SubmittedRequest | undefined => {
    const to = recipients[index]
    if (to === undefined) return undefined
    const request = { ...base, to: [to], ...texts(index) } as SendRequest
    return { request, raw: JSON.stringify(request), shapeProblems: [] }
  }
  const [first] = await submission.submitBatch(sender, {
    requests: { length: recipients.length, at },
    whole: true,
    idempotencyKey: message.idempotency?.key,
  })
  if (first === undefined || !('message_id' in first)) throw refusal('The message has no recipients')
  return first
}

function recipientsOf({ to }: PersonalCopies, { recipients }: MimeSubmission): readonly MailboxInput[] {
  if (to === undefined) {
    return recipients.map(({ address, name }) => ({ email: address.email, ...(name ? { name } : {}) }))
  }
  return to.map((written) => {
    const [first] = parseMailboxList(written)
    const { address, name } = first ?? { address: '', name: '' }
    return { email: address === '' ? written : address, ...(name === '' ? {} : { name }) }
  })
}

type Texts = Partial<Record<'subject' | 'text' | 'html', string>>

/** Returns the function that fills the texts of a copy. */
function textsOf(
  given: Readonly<Record<keyof Texts, string | undefined>>,
  { values, sections }: PersonalCopies,
): (index: number) => Texts {
  const substitutions = refusing(() => new Substitutions(Object.keys(values), sections))
  const cut = Object.entries(given).flatMap(([name, text]): [keyof Texts, LiteralText][] =>
    text === undefined ? [] : [[name as keyof Texts, substitutions.cut(text)]],
  )
  return (index) => {
    const own = Object.fromEntries(
      Object.entries(values).flatMap(([key, list]) =>
        list[index] === undefined ? [] : [[key, list[index]]],
      ),
    )
    const budget = new RenderBudget(FILL_LIMITS)
    return refusing(() =>
      Object.fromEntries(cut.map(([name, text]) => [name, substitutions.fill(text, own, budget)])),
    )
  }
}

function refusing<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw error instanceof RenderRefusal ? refusal(error.message) : error
  }
}

const refusal = (text: string): Refusal => new Refusal(554, '5.6.0', text)

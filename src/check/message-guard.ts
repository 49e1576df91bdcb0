// The guard of sending: checks accepted messages before they are stored, and refuses messages with errors.

import type { Finding } from '../model/finding.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import type { GuardedMessage, GuardMessage } from '../submission/guarding.ts'
import type { CheckedMail, CheckFacts, RecipientFacts } from './checked-mail.ts'
import { type CheckThreads, mailOfRequest } from './checking.ts'
import type { RecipientKnowledge } from './recipient-facts.ts'
import { inOrder } from './report.ts'

/** Maximum length of bodies that are checked on the event loop, in characters: well under a millisecond. */
const QUICK = 16_384
/** Maximum number of warnings that an accepted message keeps. */
const MAX_WARNINGS = 20

const loadRules = () => import('./check-mail.ts')

let rules: ReturnType<typeof loadRules> | undefined

/** Returns the rules, which are loaded at the first guarded message: an import of a loaded module takes 10 µs. */
const rulesOfCheck = (): ReturnType<typeof loadRules> => {
  rules ??= loadRules()
  return rules
}

/**
 * Returns the guard. A message that cannot be checked, because it takes too long, is accepted; the guard never uses the
 * network.
 */
export function messageGuard(threads: CheckThreads, knowledge: RecipientKnowledge): GuardMessage {
  return async (message) => {
    const isRefusing = message.guard === 'refuse'
    const emails = message.recipients.map(({ address }) => address.email)
    const ask = (): ReturnType<RecipientKnowledge['of']> =>
      knowledge.of({ ...message.sender, stream: message.stream.alias }, emails, isRefusing)
    const asked = message.asksInWrite ? undefined : ask()
    // The content is checked while the store is asked about the recipients.
    const [content, answer] = await Promise.all([findingsOf(threads, message, isRefusing), asked])
    if (message.asksInWrite && content.length === 0) return []
    const known = answer ?? (await ask())
    const ofRecipients = Object.values(known).some(isToldOf)
      ? await findingsOfRecipients(message, known, isRefusing)
      : []
    const findings = inOrder([...ofRecipients, ...content])
    const errors = findings.filter(({ severity }) => severity === 'error')
    if (isRefusing && errors.length > 0) throw contentRefused(errors)
    return findings.slice(0, MAX_WARNINGS).map(({ code, severity, path, line, column, message: text }) => ({
      ...{ code, severity, path },
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
      message: text,
    }))
  }
}

function factsOf({ sender, stream }: GuardedMessage): CheckFacts {
  return {
    // A test message leaves for no mailbox provider, which would judge its domain.
    ...(sender.inboxId === null
      ? {
          domain: {
            name: sender.domainName,
            isVerified: sender.domainStatus === 'verified',
            hasDmarc: stream.dmarcFound,
          },
        }
      : {}),
    stream: { kind: stream.kind, unsubscribe: stream.unsubscribe },
  }
}

/** True if a finding follows from the facts about a recipient. */
const isToldOf = ({ suppressed, dead, meant, isRole }: RecipientFacts): boolean =>
  suppressed !== undefined || dead === true || meant !== undefined || isRole === true

async function findingsOfRecipients(
  { recipients, stream }: GuardedMessage,
  known: Readonly<Record<string, RecipientFacts>>,
  errorsOnly: boolean,
): Promise<readonly Finding[]> {
  const named = recipients.map(({ role, address: { email } }, index) => ({
    path: `${role}[${recipients.slice(0, index).filter((one) => one.role === role).length}].email`,
    email,
  }))
  const { checkMail } = await rulesOfCheck()
  const facts = { recipients: known }
  return checkMail({ mail: { recipients: named }, facts, ignore: stream.ignored, errorsOnly })
}

/** Returns the findings about everything but the recipients. */
async function findingsOf(
  threads: CheckThreads,
  message: GuardedMessage,
  errorsOnly: boolean,
): Promise<readonly Finding[]> {
  const { sender, stream, content } = message
  const work = { accountId: sender.accountId, waits: true }
  const job = { facts: factsOf(message), ignore: stream.ignored, errorsOnly }
  try {
    if ('raw' in content) {
      const { raw } = content
      return (await threads.run(work, 'checkRaw', { ...job, raw }, raw.length)).findings
    }
    const mail: CheckedMail = mailOfRequest(content.request)
    const length = (mail.html?.length ?? 0) + (mail.text?.length ?? 0)
    if (length > QUICK) return await threads.run(work, 'checkMail', { ...job, mail }, length)
    const { checkMail } = await rulesOfCheck()
    return checkMail({ ...job, mail })
  } catch (error) {
    if (error instanceof Problem && error.code === 'unavailable') throw error
    return []
  }
}

function contentRefused(errors: readonly Finding[]): Problem {
  const problems = errors.map(({ path, code, message, what_to_do, line, column }) => ({
    ...{ path, code, message: `${message} ${what_to_do}` },
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  }))
  const { message, errors: bounded } = invalidFields(problems)
  return new Problem('content_refused', message, { errors: bounded })
}

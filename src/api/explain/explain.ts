// GET /v1/explain: explains why mail to an address did not arrive.

import type { HashRecipient } from '../../access/recipient-hash.ts'
import type { Fact, NextStep } from '../../explain/explanation.ts'
import { type Question, readFacts } from '../../explain/facts.ts'
import { factText, stepText, summaryOf } from '../../explain/sentences.ts'
import { type Explanation, explain, type JudgedMail } from '../../explain/verdict.ts'
import { readAddress, readTime } from '../../http/filters.ts'
import { isId } from '../../lib/ids.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { listDomains } from '../../store/domains/domain-rows.ts'
import { type Caller, callerOf } from '../caller.ts'
import { ExplainQuery, ExplanationView, lookedAt } from '../contract/explain.ts'
import { permittedDomain } from '../domain-of-request.ts'
import { defineRoute, type RequestOf } from '../route.ts'

interface ExplainServices {
  readonly read: Read
  /** Hashes an address like the request log hashes the recipients of refused requests. */
  readonly hashRecipient: HashRecipient
}

export const explainMail = ({ read, hashRecipient }: ExplainServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/explain',
    schema: {
      tags: ['Messages'],
      summary: 'Explain why mail did not arrive',
      description:
        'The weightiest verdict wins. Without `message_id`, `subject` and `after`, the seven days before the newest message count. The SMTP dialog requires the scope `content:read`.',
      querystring: ExplainQuery,
      response: { 200: ExplanationView },
    },
    refusals: ['malformed_request', 'validation_failed', 'domain_not_permitted', 'not_found'],
    scope: 'messages:read',
    readsLong: true,
    async handler(request): Promise<ExplanationView> {
      const caller = callerOf(request)
      const question = await readQuestion(read, request, hashRecipient)
      const facts = await reading(readFacts(read, question))
      const explanation = explain(facts, caller.scopes.has('content:read'))
      return viewOf(explanation, question, request.query.domain)
    },
  })

type ExplainRequest = RequestOf<'/v1/explain', { readonly querystring: typeof ExplainQuery }>

/** Reads the question of a request. Throws `validation_failed`, and a problem if the caller may not read the domain. */
async function readQuestion(
  read: Read,
  request: ExplainRequest,
  hashRecipient: HashRecipient,
): Promise<Question> {
  const { email: text, message_id: messageId, subject, after: afterText, domain: named } = request.query
  const caller = callerOf(request)
  const problems: FieldProblem[] = []
  const email = readAddress('email', text.trim(), problems)
  const after = readTime('after', afterText, problems)
  if (messageId !== undefined && !isId('msg', messageId)) problems.push(NO_MESSAGE_ID)
  if (problems.length > 0 || email === undefined) throw invalidFields(problems)
  const all = await domainsOf(read, caller)
  const chosen = named === undefined ? undefined : await permittedDomain(read, caller, named)
  const domains = chosen === undefined ? all : new Map([[chosen.id, chosen.name]])
  return {
    ...{ email, messageId, subject, after, domains },
    accountId: caller.accountId,
    otherDomains: new Map([...all].filter(([id]) => !domains.has(id))),
    ofAccount: chosen === undefined && caller.domains === null,
    seesVerifications: caller.scopes.has('verifications:read'),
    hash: hashRecipient(caller.accountId, email),
  }
}

const NO_MESSAGE_ID: FieldProblem = {
  path: 'message_id',
  code: 'invalid_id',
  message: 'Give the ID of a message, such as msg_01J9ZZZZZZZZZZZZZZZZZZZZZZ.',
}

/** Returns the names of the domains that the caller may read, by ID. */
async function domainsOf(read: Read, { accountId, domains, sender }: Caller): Promise<Map<string, string>> {
  if (sender !== undefined) return new Map([[sender.domainId, sender.domainName]])
  const all = await reading(listDomains(read, accountId))
  return new Map(all.flatMap(({ id, name }) => (domains?.has(id) === false ? [] : [[id, name] as const])))
}

const viewOf = (
  { verdict, sure, because, nextStep, messages }: Explanation,
  { email, messageId, subject, after, domains, seesVerifications }: Question,
  domain: string | undefined,
): ExplanationView => ({
  email,
  asked: {
    message_id: messageId ?? null,
    subject: subject ?? null,
    after: after === undefined ? null : formatTime(after),
    domain: domain ?? null,
  },
  ...{ verdict, sure },
  summary: summaryOf(verdict, email, because),
  because: because.map(factView),
  next_step: nextStep === null ? null : stepView(nextStep),
  messages: messages.map((one) => messageView(one, domains)),
  looked_at: lookedAt(seesVerifications),
})

const factView = (fact: Fact): ExplanationView['because'][number] => ({
  at: formatTime(fact.at),
  fact: fact.kind,
  text: factText(fact),
  values: { ...fact.values },
  refers_to: fact.refersTo,
})

const stepView = (step: NextStep): NonNullable<ExplanationView['next_step']> => ({
  code: step.code,
  text: stepText(step),
  operation: step.operation,
  args: { ...step.args },
})

const messageView = (
  { mail: { message, recipient }, verdict }: JudgedMail,
  domains: Question['domains'],
): ExplanationView['messages'][number] => ({
  message_id: message.id,
  domain_id: message.domain_id,
  domain: domains.get(message.domain_id) ?? '',
  stream: message.stream,
  subject: message.subject,
  status: recipient.status,
  verdict,
  created_at: formatTime(message.created_at),
})

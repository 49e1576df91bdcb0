// Every error that a user can meet: its code, status and title, in one list that the docs are made from.

/** The codes (contract §1), each with the HTTP status and the title of its problem document (RFC 9457). */
export const PROBLEMS = {
  malformed_request: { status: 400, title: 'Malformed request' },
  authentication_failed: { status: 401, title: 'Authentication failed' },
  key_kind_not_permitted: { status: 403, title: 'Key of the wrong kind' },
  domain_not_permitted: { status: 403, title: 'Domain not permitted' },
  domain_not_verified: { status: 403, title: 'Domain not verified' },
  account_suspended: { status: 403, title: 'Account suspended' },
  sending_allowance_exhausted: { status: 403, title: 'Sending allowance exhausted' },
  verification_credits_exhausted: { status: 403, title: 'Verification credits exhausted' },
  not_found: { status: 404, title: 'Not found' },
  conflict: { status: 409, title: 'Conflict' },
  body_too_large: { status: 413, title: 'Body too large' },
  validation_failed: { status: 422, title: 'Validation failed' },
  rate_limit_exceeded: { status: 429, title: 'Rate limit exceeded' },
  internal_error: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const

export type ProblemCode = keyof typeof PROBLEMS

/** What is wrong with one field. */
export interface FieldProblem {
  /** Where: `to[3].email`. */
  readonly path: string
  /** A short code such as `invalid_email`, `required`, `too_long`. */
  readonly code: string
  /** One sentence with the remedy. */
  readonly message: string
  /** Where in the text of a template, both from 1. */
  readonly line?: number
  readonly column?: number
}

/** A refusal that a door turns into its own words: a problem document over HTTP, a reply over SMTP. */
export class Problem extends Error {
  readonly code: ProblemCode
  /** The fields at fault, all of them. */
  readonly errors: readonly FieldProblem[]
  /** After how many seconds trying again makes sense. */
  readonly retryAfter: number | undefined

  /**
   * @param code what kind of refusal
   * @param detail one public sentence that a developer can act on
   * @param more the fields at fault, when to try again, and the inside cause, which is logged and never shown
   */
  constructor(
    code: ProblemCode,
    detail: string,
    more: { errors?: readonly FieldProblem[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(detail, { cause: more.cause })
    this.code = code
    this.errors = more.errors ?? []
    this.retryAfter = more.retryAfter
  }

  get status(): number {
    return PROBLEMS[this.code].status
  }

  get title(): string {
    return PROBLEMS[this.code].title
  }
}

/** More than these help nobody. */
const MOST_PROBLEMS = 100

/** The problem for fields that are wrong, all of them (a hundred at most); its sentence names the first. */
export function invalidFields(all: readonly FieldProblem[]): Problem {
  const problems = all.slice(0, MOST_PROBLEMS).map((one) => ({ ...one, path: one.path.slice(0, 200) }))
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  const detail = `${first?.path || 'body'}: ${first?.message ?? 'It is invalid.'}${more}`
  return new Problem('validation_failed', detail, { errors: problems })
}

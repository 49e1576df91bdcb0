// List of all errors that a user can get, with code, status and title; the docs are generated from this list.

/**
 * The error codes, each with the HTTP status and title of its problem document (RFC 9457), and with the cause and
 * remedy for the reference docs.
 */
export const PROBLEMS = {
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    meaning:
      'The request cannot be read: the body is not JSON, not UTF-8 or of another media type, or a header or a cursor has the wrong form. Repeating the request unchanged does not help.',
  },
  authentication_failed: {
    status: 401,
    title: 'Authentication failed',
    meaning:
      'The bearer credential is missing, unknown, revoked or expired. Look at the `Authorization` header and at the list of keys.',
  },
  second_factor_required: {
    status: 401,
    title: 'Second factor required',
    meaning:
      'In the dashboard only: the password is right, and the login also requires a code of the authenticator app or a recovery code.',
  },
  key_kind_not_permitted: {
    status: 403,
    title: 'Key of the wrong kind',
    meaning:
      'The key is valid, but of another kind: Sending keys (`send_…`) send and read mail, Verification keys (`verify_…`) check addresses, and management keys (`manage_…`) manage the account.',
  },
  scope_not_permitted: {
    status: 403,
    title: 'Scope not permitted',
    meaning:
      'The key is valid and lacks the scope that this needs. `detail` names the scope and those that the key has; `GET /v1/key` shows them as well. Use another key, or have the scope added to this one.',
  },
  network_not_permitted: {
    status: 403,
    title: 'Network not permitted',
    meaning:
      'The key is valid, but may not be used from the address that `detail` names. Add the network of the client to the key, or correct the settings of the proxy in front of this service. The refusal counts as a failed authentication.',
  },
  recipient_not_permitted: {
    status: 403,
    title: 'Recipient not permitted',
    meaning:
      'The key may send only to the recipients that its list permits; `detail` names the others. Nothing was sent. Remove these recipients, or use another key.',
  },
  inbox_credential: {
    status: 403,
    title: 'Test credential',
    meaning:
      'The credential is a test credential, whose mail goes to a test inbox. Test credentials send and read mail; they change no live message, and have nothing to do with domains, keys, webhooks, suppressions and verification. Use a live key.',
  },
  session_required: {
    status: 403,
    title: 'Session required',
    meaning:
      'No key may do this; only a user who has logged in to the dashboard recently can, such as creating a management key.',
  },
  origin_not_permitted: {
    status: 403,
    title: 'Origin not permitted',
    meaning:
      'The request comes from the page of another site, or does not say from which. Open the dashboard at its own address; a public key works on the pages of its `origins` only.',
  },
  role_not_permitted: {
    status: 403,
    title: 'Role not permitted',
    meaning:
      'In the dashboard only: the role of the user does not allow this. An owner or an admin of the account can change it.',
  },
  recent_login_required: {
    status: 403,
    title: 'Recent login required',
    meaning:
      'In the dashboard only: this change affects who can log in or what users may do, and the login is older than ten minutes. Log in again and repeat the request.',
  },
  domain_not_permitted: {
    status: 403,
    title: 'Domain not permitted',
    meaning:
      'The sender or the domain is not one that the key works on. Use an address there, or the key of the other domain.',
  },
  domain_not_verified: {
    status: 403,
    title: 'Domain not verified',
    meaning:
      'The domain cannot send: its DNS records are not published yet or are missing, or it is paused. Publish the missing records and verify the domain.',
  },
  account_suspended: {
    status: 403,
    title: 'Account suspended',
    meaning:
      'The account is suspended and cannot send. The operator knows the reason, and can resume the account.',
  },
  sending_allowance_exhausted: {
    status: 403,
    title: 'Sending allowance exhausted',
    meaning:
      'The remaining allowance of the account is smaller than the number of recipients of this request, or the stored messages of the account would exceed its storage limit. Nothing was sent and nothing is charged.',
  },
  limit_reached: {
    status: 403,
    title: 'Limit reached',
    meaning:
      'The account has as many domains or keys as the operator permits; `errors` names the limit, `domains_limit` or `keys_limit`. Delete some, or ask the operator for more.',
  },
  verification_credits_exhausted: {
    status: 403,
    title: 'Verification credits exhausted',
    meaning: 'The account has no verification credits left. Nothing was verified and nothing is charged.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning:
      'Nothing exists at this address, or the object belongs to another domain or account. The response does not distinguish these cases.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The address accepts only other methods, which `Allow` lists.',
  },
  content_refused: {
    status: 422,
    title: 'Content refused',
    meaning:
      'The check of the message found errors, and the guard of the message, its stream or its domain is `refuse`. `errors` has the place and the remedy of each error (see the page about the check). Nothing was sent or charged. Correct the message, or ignore a code in the settings of the stream.',
  },
  content_removed: {
    status: 410,
    title: 'Content removed',
    meaning:
      'The message exists, but its content is no longer stored: the retention of the installation, the domain or the stream has ended, the stream stores no content after delivery, or the data of one of its recipients was erased. `detail` names the reason.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    meaning:
      'The request conflicts with the present state: a request with the same `Idempotency-Key` is still in progress, or the request comes too late, such as the cancellation of a delivered message.',
  },
  changed_meanwhile: {
    status: 412,
    title: 'Changed meanwhile',
    meaning:
      'The object was changed after the version that `If-Match` names. Retrieve it again, and repeat the change with its new `ETag`. Nothing was changed.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    meaning:
      'The request, or the message that it would become, is over the size limit. Send less at once, or link to large files.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    meaning:
      'The request can be read, but fields are wrong. `errors` names every wrong field with its path, a code and a remedy; correct the fields and send the request again.',
  },
  rate_limit_exceeded: {
    status: 429,
    title: 'Rate limit exceeded',
    meaning:
      'Too many requests with this key, or too many failed authentications from this address. Wait as long as `Retry-After` says.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'An internal error. Report the `request_id`, which the log contains.',
  },
  not_available: {
    status: 501,
    title: 'Not available',
    meaning:
      'A compatible endpoint knows this call of the other service and does not serve it. `docs/compatibility.md` names the endpoint of `/v1` to use instead, if there is one.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    meaning:
      'The request cannot be accepted right now: the disk is full, the database is unavailable, or too many requests are under way. Nothing was accepted, unless `detail` says that the result is unknown. Try again after `Retry-After`, with an `Idempotency-Key` if the request must not be carried out twice.',
  },
} as const satisfies Record<string, { status: number; title: string; meaning: string }>

export type ProblemCode = keyof typeof PROBLEMS

export const isProblemCode = (text: string): text is ProblemCode => Object.hasOwn(PROBLEMS, text)

/** A problem of one field. */
export interface FieldProblem {
  /** Path of the field, such as `to[3].email`. */
  readonly path: string
  /** Short code such as `invalid_email`, `required` or `too_long`. */
  readonly code: string
  /** Sentence with the remedy. */
  readonly message: string
  /** Line and column in the text of a template, both counted from 1. */
  readonly line?: number
  readonly column?: number
  /** Possible values, such as the names of the columns of a list. */
  readonly choices?: readonly string[]
}

/**
 * A refusal, which becomes a problem document over HTTP and a reply over SMTP. A refusal has no stack trace, which would
 * tell nothing and take as long as all other work on many refused requests.
 */
export class Problem extends Error {
  readonly code: ProblemCode
  /** Problems of all invalid fields. */
  readonly errors: readonly FieldProblem[]
  /** Number of seconds after which the client may retry. */
  readonly retryAfter: number | undefined
  /** Names of the exceeded rate limits. */
  readonly violatedPolicies: readonly string[]
  /** Names of the object of the same account with which the request conflicts, such as `domain_id`. */
  readonly existing: Readonly<Record<string, string>> | undefined

  /**
   * @param code kind of refusal
   * @param detail one public sentence that a developer can act on
   * @param more invalid fields, time of a retry, exceeded rate limits, the object with which the request conflicts, and
   * the internal cause, which is logged and never shown
   */
  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      errors?: readonly FieldProblem[]
      retryAfter?: number
      violatedPolicies?: readonly string[]
      existing?: Readonly<Record<string, string>>
      cause?: unknown
    } = {},
  ) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(detail, { cause: more.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.errors = more.errors ?? []
    this.retryAfter = more.retryAfter
    this.violatedPolicies = more.violatedPolicies ?? []
    this.existing = more.existing
  }

  get status(): number {
    return PROBLEMS[this.code].status
  }

  get title(): string {
    return PROBLEMS[this.code].title
  }
}

/** Maximum number of field problems in one response. */
export const MAX_PROBLEMS = 100

/** Skips repeated names of unknown fields, because both the check of field names and the schema report `__proto__`. */
function* eachNameOnce(all: readonly FieldProblem[]): Generator<FieldProblem> {
  const names = new Set<string>()
  for (const one of all) {
    if (one.code === 'unknown_field') {
      if (names.has(one.path)) continue
      names.add(one.path)
    }
    yield one
  }
}

/** Returns the refusal of a change under `If-Match` of an object that was changed after the named version. */
export const changedMeanwhile = (message = 'Another change came first; get the new ETag.'): Problem =>
  new Problem('changed_meanwhile', 'The object was changed meanwhile; retrieve it again.', {
    errors: [{ path: 'If-Match', code: 'changed_meanwhile', message }],
  })

/**
 * Returns one problem for all invalid fields. The problem lists at most a hundred fields, and its sentence names the
 * first field.
 */
export function invalidFields(all: readonly FieldProblem[]): Problem {
  const problems = eachNameOnce(all)
    .take(MAX_PROBLEMS)
    .map((one) => ({ ...one, path: one.path.slice(0, 200) }))
    .toArray()
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  const detail = `${first?.path || 'body'}: ${first?.message ?? 'The value is invalid.'}${more}`
  return new Problem('validation_failed', detail, { errors: problems })
}

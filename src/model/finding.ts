// Findings of the pre-flight check of a message: the list of all codes, which the docs are generated from.

/** Severity of a finding; only an error can stop a message. */
export const SEVERITIES = ['error', 'warning', 'hint'] as const
type Severity = (typeof SEVERITIES)[number]

interface FindingKind {
  readonly severity: Severity
  /** Defect that the code stands for. */
  readonly meaning: string
  /** Remedy, the same for each finding of the code. */
  readonly remedy: string
}

/** All codes, in the order of the docs. The code of a finding never changes its severity. */
export const FINDINGS = {
  link_local: {
    severity: 'error',
    meaning:
      'A link leads to a host that recipients cannot reach: `localhost`, a private address, or a name such as `.test` or `.local`.',
    remedy: 'Use the public address of your site.',
  },
  link_invalid: {
    severity: 'error',
    meaning:
      'A link has no target that a mail program can open: empty, `#`, relative, `javascript:`, `file:`, or no valid URL.',
    remedy: 'Write a complete address that begins with https://.',
  },
  link_placeholder: {
    severity: 'error',
    meaning:
      'The address of a link contains a placeholder that was not replaced, such as `{{url}}`, `%recipient%` or `*|URL|*`.',
    remedy: 'Pass the value to the template, or correct the name of the variable.',
  },
  link_dead: {
    severity: 'error',
    meaning:
      'The host of a link does not exist, or answers that the page does not exist. Only with `links: "fetch"`.',
    remedy: 'Correct the address, or publish the page.',
  },
  placeholder: {
    severity: 'error',
    meaning:
      'The text contains a value that is missing or a placeholder: `undefined`, `[object Object]`, `NaN`, `{{name}}`, `Lorem ipsum`, `Hello ,`.',
    remedy: 'Pass the value to the template, and write a default for values that can be missing.',
  },
  secret: {
    severity: 'error',
    meaning:
      'The message contains a private key, an access key of a service, or a card number. The finding shows the first four characters only.',
    remedy: 'Remove the secret, and replace it where it is in use, because mail is not confidential.',
  },
  from_disguised: {
    severity: 'error',
    meaning:
      'The name of the sender contains an address of another domain, or letters that imitate other letters.',
    remedy: 'Use a plain name of your organization.',
  },
  not_aligned: {
    severity: 'error',
    meaning:
      'The domain of From is not a verified domain, so that neither the DKIM signature nor the return path is aligned with From.',
    remedy: 'Send from an address of the verified domain, or verify the domain.',
  },
  recipient_dead: {
    severity: 'error',
    meaning: 'Earlier mail to the address bounced, because the mailbox does not exist.',
    remedy: 'Remove the address, or ask the recipient for the present address.',
  },
  recipient_suppressed: {
    severity: 'error',
    meaning: 'The address is on the suppression list of the stream, and gets no mail.',
    remedy: 'Remove the address, or delete the suppression if the recipient wants the mail again.',
  },
  subject_empty: {
    severity: 'error',
    meaning: 'The message has no subject.',
    remedy: 'Give a subject.',
  },
  unsubscribe_missing: {
    severity: 'error',
    meaning: 'A message of a broadcast stream has neither the unsubscribe fields nor a link to unsubscribe.',
    remedy:
      'Add List-Unsubscribe and List-Unsubscribe-Post, or let the service add them (`unsubscribe: "service"`).',
  },
  message_large: {
    severity: 'error',
    meaning: 'The composed message has more than 20 MB, which large mailbox providers refuse.',
    remedy: 'Link to large files instead of attaching them.',
  },
  clipped: {
    severity: 'warning',
    meaning:
      'The HTML has more than 102,400 bytes. Gmail shows the beginning only, so that the unsubscribe link and the open pixel at the end are lost.',
    remedy: 'Shorten the HTML: remove unused styles, comments and white space.',
  },
  css_unsupported: {
    severity: 'warning',
    meaning:
      'A mail program of the checked clients ignores a property, a value or a rule of the CSS ("Can I email").',
    remedy: 'Make sure that the message is readable without it, or use tables and simple properties.',
  },
  html_unsupported: {
    severity: 'warning',
    meaning: 'A mail program of the checked clients removes or ignores an element ("Can I email").',
    remedy: 'Replace the element with text, an image or a link.',
  },
  link_insecure: {
    severity: 'warning',
    meaning: 'A link or an image uses http, or contains a user name, or names its host by an IP address.',
    remedy: 'Use https and the name of the host.',
  },
  link_mismatch: {
    severity: 'warning',
    meaning:
      'The text of a link shows the address of another host than the link leads to, which filters take for phishing.',
    remedy: 'Show the address that the link leads to, or words.',
  },
  link_shortener: {
    severity: 'warning',
    meaning: 'A link leads to a URL shortener, whose domains are on many block lists.',
    remedy: 'Link to the page itself.',
  },
  image_weight: {
    severity: 'warning',
    meaning: 'The images in the message have more than 1 MB together, or one image has more than 200 KB.',
    remedy: 'Compress the images, or link to them.',
  },
  image_only: {
    severity: 'warning',
    meaning:
      'The HTML consists of images and hardly any text, so that nothing is readable until images are loaded.',
    remedy: 'Write the content as text.',
  },
  image_data: {
    severity: 'warning',
    meaning: 'An image is contained in the HTML as a `data:` URL, which Gmail and Outlook do not show.',
    remedy: 'Attach the image with a content_id and refer to it with cid:, or link to it.',
  },
  text_missing: {
    severity: 'warning',
    meaning: 'The message has HTML and no text part.',
    remedy: 'Add a text part with the same content.',
  },
  text_differs: {
    severity: 'warning',
    meaning: 'The text part is another message than the HTML: fewer than 30 % of its words are the same.',
    remedy: 'Write the same content in both parts.',
  },
  dmarc_missing: {
    severity: 'warning',
    meaning: 'The domain of From has no DMARC record, which large mailbox providers require.',
    remedy: 'Publish a TXT record at _dmarc below the domain, such as v=DMARC1; p=none.',
  },
  recipient_misspelt: {
    severity: 'warning',
    meaning: 'The domain of the recipient resembles the domain of a large mailbox provider.',
    remedy: 'Ask the recipient, or correct the address.',
  },
  spam_rule: {
    severity: 'warning',
    meaning:
      'A rule of the configured spam filter added to the score of the message. Only with `spam: true`.',
    remedy: 'See the description of the rule in `spam.rules`.',
  },
  image_alt: {
    severity: 'hint',
    meaning:
      'An image has no `alt` text, which mail programs show until images are loaded and screen readers read.',
    remedy: 'Add alt="…", or alt="" for a decoration.',
  },
  subject_long: {
    severity: 'hint',
    meaning: 'The subject has more than 78 characters, of which phones show about half.',
    remedy: 'Put the important words first, and shorten the subject.',
  },
  address_missing: {
    severity: 'hint',
    meaning:
      'A message of a broadcast stream has no postal address, which laws of several countries require in advertising.',
    remedy: 'Add the postal address of your organization to the footer.',
  },
  recipient_role: {
    severity: 'hint',
    meaning: 'The address belongs to a role, such as info@ or sales@, which several people read.',
    remedy: 'Prefer the address of a person for mail that a person has asked for.',
  },
} as const satisfies Record<string, FindingKind>

export type FindingCode = keyof typeof FINDINGS

export const FINDING_CODES = Object.keys(FINDINGS) as readonly FindingCode[]

/** One defect of a message. */
export interface Finding {
  readonly code: FindingCode
  readonly severity: Severity
  /** Part of the message: `html`, `text`, `subject`, `from`, or a path such as `to[0].email`. */
  readonly path: string
  /** Line and column within a body, both counted from 1. */
  readonly line?: number
  readonly column?: number
  /** Beginning of the place; secrets are masked. */
  readonly excerpt?: string
  readonly message: string
  readonly what_to_do: string
  /** Mail programs that the finding concerns. */
  readonly clients?: readonly string[]
  /** Address that the finding concerns. */
  readonly recipient?: string
}

/** Result of a check: `fail` with an error, `warn` with a warning, else `pass`. */
export type Verdict = 'pass' | 'warn' | 'fail'

export const verdictOf = (findings: readonly Finding[]): Verdict => {
  const has = (severity: Severity): boolean => findings.some((one) => one.severity === severity)
  return has('error') ? 'fail' : has('warning') ? 'warn' : 'pass'
}

/**
 * Effect of the check on sending: none, warnings in the response, or the refusal of messages with an error.
 */
export const GUARDS = ['off', 'warn', 'refuse'] as const
export type Guard = (typeof GUARDS)[number]

/** Settings of the check of a domain or a stream; omitted fields stay unchanged, and null resets a field. */
export interface GuardSettings {
  /** Null inherits the guard of the domain; a domain without a guard has `off`. */
  readonly guard?: Guard | null
  /** Codes that are not reported, in addition to those of the domain. */
  readonly ignore?: readonly FindingCode[] | null
}

/** Columns of the settings of the check. */
export interface GuardColumns {
  readonly guard: Guard | null
  /** Codes separated by spaces; null for none. */
  readonly ignored_findings: string | null
}

export const NO_GUARD: GuardColumns = { guard: null, ignored_findings: null }

/** Returns the columns of changed settings. */
export const guardColumns = ({
  guard,
  ignore,
}: {
  readonly [Name in keyof GuardSettings]: GuardSettings[Name] | undefined
}): Partial<GuardColumns> => ({
  ...(guard === undefined ? {} : { guard }),
  ...(ignore === undefined
    ? {}
    : { ignored_findings: ignore === null || ignore.length === 0 ? null : [...new Set(ignore)].join(' ') }),
})

/** Returns the codes of a column. */
export const ignoredOf = ({ ignored_findings: codes }: GuardColumns): FindingCode[] =>
  codes === null ? [] : (codes.split(' ') as FindingCode[])

/** Finding of a message that was accepted, kept with its `accepted` events. */
export type Warning = Pick<Finding, 'code' | 'severity' | 'path' | 'line' | 'column' | 'message'>

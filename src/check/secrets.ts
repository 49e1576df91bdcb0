// Finds secrets in a text: private keys, access keys of services, and card numbers.

/** A secret and its place. */
export interface FoundSecret {
  readonly index: number
  readonly what: string
  /** First four characters, and dots in place of the others. */
  readonly masked: string
}

/** A kind of secret. */
interface Kind {
  readonly what: string
  /** Texts of which each secret of the kind contains one; a search for these is much cheaper than for the pattern. */
  readonly marks: readonly string[]
  readonly pattern: RegExp
}

const KINDS: readonly Kind[] = [
  {
    what: 'a private key',
    marks: ['-----BEGIN'],
    pattern: /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  { what: 'an access key of AWS', marks: ['AKIA', 'ASIA'], pattern: /\b(?:AKIA|ASIA)[A-Z2-7\d]{16}\b/g },
  { what: 'a key of Google', marks: ['AIza'], pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { what: 'a token of GitLab', marks: ['glpat-'], pattern: /\bglpat-[\w-]{20,64}/g },
  { what: 'a token of Slack', marks: ['xox'], pattern: /\bxox[abposr]-[A-Za-z\d-]{10,120}/g },
  { what: 'a key of SendGrid', marks: ['SG.'], pattern: /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g },
  { what: 'a key of Mailgun', marks: ['key-'], pattern: /\bkey-[a-f\d]{32}\b/g },
  { what: 'a token of PyPI', marks: ['pypi-'], pattern: /\bpypi-[\w-]{50,200}/g },
]

/** Kinds of secrets that contain an underscore, which few texts do. */
const UNDERSCORED: readonly Kind[] = [
  {
    what: 'a token of GitHub',
    marks: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: /\bgh[pousr]_[A-Za-z\d]{36,80}\b|\bgithub_pat_\w{40,100}\b/g,
  },
  {
    what: 'a key of Stripe',
    marks: ['k_live_', 'whsec_'],
    pattern: /\b[sr]k_live_[A-Za-z\d]{16,120}\b|\bwhsec_[A-Za-z\d+/=]{24,80}/g,
  },
  { what: 'a token of npm', marks: ['npm_'], pattern: /\bnpm_[A-Za-z\d]{36}\b/g },
  {
    what: 'a key of Postrider',
    marks: ['send_', 'verify_', 'manage_'],
    pattern: /\b(?:send|verify|manage)_(?:test_)?[A-Za-z\d]{40,64}\b/g,
  },
]

/** A signed token, which links of mail contain by design. */
const TOKEN = /(?<![\w-])eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{16,1000}/g

/** Number of digits, possibly in groups, from which a text is searched for card numbers. */
const MANY_DIGITS = 10

/** True if a text has a number of `MANY_DIGITS` digits. A pattern would take three times as long. */
function hasLongNumber(text: string): boolean {
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x30 && code <= 0x39) {
      digits++
      if (digits === MANY_DIGITS) return true
    } else if (code !== 0x20 && code !== 0x2d) digits = 0
  }
  return false
}

/** A card number: 13 to 19 digits, possibly in groups. */
const CARD =
  /(?<![\d.,/+#=_-]|\d[ -])(?:3[47]\d{2}[ -]?\d{6}[ -]?\d{5}|(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|6(?:011|5\d{2}))[ -]?\d{4}[ -]?\d{4}[ -]?\d{4})(?![\d_-]|[ -]\d|[.,]\d)/g

/** Label of a password, without which no text is searched for one. */
const LABEL = /(?:pass(?:wor[dt]|phrase|e)|kennwort|contraseña|pwd)\s*[:=]/i

/** A password that stands below a user name. */
const PASSWORD =
  /(?:user(?: ?name)?|login|e-?mail|benutzer(?:name)?|usuario|utilisateur|identifiant)\s*[:=]\s*\S[\s\S]{0,200}?(?:pass(?:word|phrase)|passwort|kennwort|contraseña|mot de passe|pwd)\s*[:=]\s*(\S{5,80})/gi

/** Texts in the place of a password that are no password. */
const NO_PASSWORD = /^(?:\{\{|\[|<|\*{3}|•|\.{3}|https?:|your|ihr|the\b|hidden|not)/i

const hasMark = (text: string, { marks }: Kind): boolean => marks.some((mark) => text.includes(mark))

const ALL_KINDS = [...KINDS, ...UNDERSCORED]

const kindsFor = (text: string): readonly Kind[] => (text.includes('_') ? ALL_KINDS : KINDS)

/**
 * Returns the secrets of a text.
 *
 * @param isAddress true for the address of a link, in which tokens and numbers are ordinary
 */
export function secretsIn(text: string, isAddress = false): readonly FoundSecret[] {
  const found: FoundSecret[] = []
  const add = (index: number, what: string, value: string): void => {
    found.push({ index, what, masked: `${value.slice(0, 4)}…` })
  }
  for (const kind of kindsFor(text)) {
    if (!hasMark(text, kind)) continue
    for (const { 0: value, index } of text.matchAll(kind.pattern)) add(index, kind.what, value)
  }
  if (isAddress) return found
  if (text.includes('eyJ')) {
    for (const { 0: value, index } of text.matchAll(TOKEN)) add(index, 'a signed token', value)
  }
  if (hasLongNumber(text)) {
    for (const { 0: value, index } of text.matchAll(CARD)) {
      if (isCard(value)) add(index, 'a card number', value)
    }
  }
  if (LABEL.test(text)) {
    for (const { 0: whole, 1: value = '', index } of text.matchAll(PASSWORD)) {
      if (!NO_PASSWORD.test(value))
        add(index + whole.length - value.length, 'a password beside a user name', value)
    }
  }
  return found
}

/** True if the check digit of a card number is right (ISO/IEC 7812-1, Luhn), and the digits are not all alike. */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (/^(\d)\1+$/.test(digits)) return false
  let sum = 0
  for (const [index, sign] of [...digits].reverse().entries()) {
    const value = Number(sign) * (index % 2 === 1 ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

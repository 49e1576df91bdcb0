// Finds secrets in a text: private keys, access keys of services, and card numbers.

/** A secret and its place. */
export interface FoundSecret {
  readonly index: number
  readonly what: string
  /** First four characters, and dots in place of the others. */
  readonly masked: string
}

/** Beginnings of all secrets; a text without any of them is not searched further. */
const BEGINNINGS =
  /-----BEGIN|AKIA|ASIA|AIza|gh[pousr]_|github_pat_|glpat-|xox[abposr]-|[sr]k_live_|whsec_|SG\.|key-|npm_|pypi-|send_|verify_|manage_|eyJ|\d{4}[ -]?\d{4}|\d{4}[ -]?\d{6}|(?:pass(?:word|wor[dt]|phrase)?|passwort|kennwort|contraseña|mot de passe|pwd)\s*[:=]/i

const SECRETS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/g],
  ['an access key of AWS', /\b(?:AKIA|ASIA)[A-Z2-7\d]{16}\b/g],
  ['a key of Google', /\bAIza[\w-]{35}(?![\w-])/g],
  ['a token of GitHub', /\bgh[pousr]_[A-Za-z\d]{36,80}\b|\bgithub_pat_\w{40,100}\b/g],
  ['a token of GitLab', /\bglpat-[\w-]{20,64}/g],
  ['a token of Slack', /\bxox[abposr]-[A-Za-z\d-]{10,120}/g],
  ['a key of Stripe', /\b[sr]k_live_[A-Za-z\d]{16,120}\b|\bwhsec_[A-Za-z\d+/=]{24,80}/g],
  ['a key of SendGrid', /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g],
  ['a key of Mailgun', /\bkey-[a-f\d]{32}\b/g],
  ['a token of npm', /\bnpm_[A-Za-z\d]{36}\b/g],
  ['a token of PyPI', /\bpypi-[\w-]{50,200}/g],
  ['a key of Postrider', /\b(?:send|verify|manage)_(?:test_)?[A-Za-z\d]{40,64}\b/g],
]

/** A signed token, which links of mail contain by design. */
const TOKEN = /(?<![\w-])eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{16,1000}/g

/** A card number: 13 to 19 digits, possibly in groups. */
const CARD =
  /(?<![\d.,/+#=_-]|\d[ -])(?:3[47]\d{2}[ -]?\d{6}[ -]?\d{5}|(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|6(?:011|5\d{2}))[ -]?\d{4}[ -]?\d{4}[ -]?\d{4})(?![\d_-]|[ -]\d|[.,]\d)/g

/** A password that stands below a user name. */
const PASSWORD =
  /(?:user(?: ?name)?|login|e-?mail|benutzer(?:name)?|usuario|utilisateur|identifiant)\s*[:=]\s*\S[\s\S]{0,200}?(?:pass(?:word|phrase)|passwort|kennwort|contraseña|mot de passe|pwd)\s*[:=]\s*(\S{5,80})/gi

/** Texts in the place of a password that are no password. */
const NO_PASSWORD = /^(?:\{\{|\[|<|\*{3}|•|\.{3}|https?:|your|ihr|the\b|hidden|not)/i

/**
 * Returns the secrets of a text.
 *
 * @param isAddress true for the address of a link, in which tokens and numbers are ordinary
 */
export function secretsIn(text: string, isAddress = false): readonly FoundSecret[] {
  if (!BEGINNINGS.test(text)) return []
  const found: FoundSecret[] = []
  const add = (index: number, what: string, value: string): void => {
    found.push({ index, what, masked: `${value.slice(0, 4)}…` })
  }
  for (const [what, pattern] of SECRETS)
    for (const { 0: value, index } of text.matchAll(pattern)) add(index, what, value)
  if (isAddress) return found
  for (const { 0: value, index } of text.matchAll(TOKEN)) add(index, 'a signed token', value)
  for (const { 0: value, index } of text.matchAll(CARD)) if (isCard(value)) add(index, 'a card number', value)
  for (const { 0: whole, 1: value = '', index } of text.matchAll(PASSWORD)) {
    if (!NO_PASSWORD.test(value))
      add(index + whole.length - value.length, 'a password beside a user name', value)
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

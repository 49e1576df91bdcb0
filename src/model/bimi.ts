// Findings about the BIMI record of a domain (draft-brand-indicators-for-message-identification) and about its logo.

/** Every finding, with its severity and its sentences: the fault, and the remedy. */
const FINDINGS = {
  record_several: [
    'error',
    'There are several BIMI records at this name, and receivers ignore all of them. Keep one of them.',
  ],
  record_invalid: [
    'error',
    'The BIMI record is not valid. Write it as v=BIMI1; l=https://…/logo.svg; a=https://…/certificate.pem, with each tag once.',
  ],
  dmarc_missing: ['error', 'Receivers show a logo only for a domain with a valid DMARC record. Publish one.'],
  dmarc_policy: [
    'error',
    'The DMARC policy of the domain is not enforced. Receivers show a logo only if p, and sp if there is one, is quarantine or reject, without pct below 100 and without t=y.',
  ],
  logo_url: ['error', 'The address of the logo (l=) is not an https URL. Give one.'],
  logo_unreachable: [
    'error',
    'The logo cannot be fetched from its address. It must answer with status 200, without a redirect, to everybody.',
  ],
  logo_type: ['error', 'The logo is not served as image/svg+xml. Set this Content-Type.'],
  logo_too_large: ['error', 'The logo is larger than 32 KB. Make it smaller.'],
  logo_not_svg: ['error', 'The logo is not an SVG image. Publish it as SVG Tiny PS.'],
  logo_profile: [
    'error',
    'The svg element of the logo needs version="1.2" and baseProfile="tiny-ps". Export the logo as SVG Tiny PS.',
  ],
  logo_title: [
    'error',
    'The logo has no title. Add a title element with the name of the brand to its svg element.',
  ],
  logo_not_square: [
    'error',
    'The logo is not square, or has no viewBox. Give it a viewBox with equal sides.',
  ],
  logo_script: ['error', 'The logo contains a script, an animation or an interactive element. Remove it.'],
  logo_external: [
    'error',
    'The logo refers to something outside of itself, or contains an image that is not SVG. Remove it.',
  ],
  certificate_url: ['error', 'The address of the certificate (a=) is not an https URL. Give one.'],
  certificate_missing: [
    'hint',
    'The record names no certificate (a=). Yahoo and Fastmail show the logo without one; Gmail requires a VMC or CMC, and Apple a VMC.',
  ],
} as const satisfies Record<string, readonly [severity: 'error' | 'hint', message: string]>

export type BimiFinding = keyof typeof FINDINGS

export const BIMI_FINDINGS = Object.keys(FINDINGS) as readonly BimiFinding[]

/** A finding with its severity and its sentences. */
export const bimiFinding = (code: BimiFinding) => {
  const [severity, message] = FINDINGS[code]
  return { code, severity, message }
}

/** Result of a fetch of a logo. */
export interface BimiLogo {
  readonly url: string
  /** Time of the fetch in milliseconds since the epoch. */
  readonly at: number
  readonly findings: readonly BimiFinding[]
}

/** Result of the check of a BIMI record. */
export interface BimiCheck {
  /** Name of the record, at the domain or at its registrable domain. */
  readonly name: string
  /** Found text of the record, which is untrusted. */
  readonly record: string
  /** True if the record says that the domain has no logo. */
  readonly isDeclined: boolean
  readonly logoUrl: string | null
  readonly certificateUrl: string | null
  /** Findings about the record and the policy. */
  readonly findings: readonly BimiFinding[]
  /** Last fetch of the logo; null before the first fetch. */
  readonly logo: BimiLogo | null
}

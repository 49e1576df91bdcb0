// Incidents: trouble with the delivery of a domain's mail that has one cause, with a beginning, a scope and an end.

import { type BounceCategory, isAboutAddress } from './bounce-category.ts'

/** Causes that are no category of replies. */
export const OWN_CAUSES = ['alignment', 'listing', 'requirement', 'list_quality'] as const

/**
 * Cause of an incident: the category of most failures, or `alignment` (receivers report that mail is not authenticated),
 * `listing` (a block list names an address or a domain), `requirement` (a receiver's requirement is not met), or
 * `list_quality` (many recipients do not exist).
 */
export type IncidentCause = BounceCategory | (typeof OWN_CAUSES)[number]

export const INCIDENT_STATES = ['open', 'closed'] as const
export type IncidentState = (typeof INCIDENT_STATES)[number]

/** The part of the mail that an incident concerns; a field is present only if the field narrows the incident. */
export interface IncidentScope {
  readonly stream?: string
  readonly tag?: string
  readonly key_id?: string
  /** Own IP address. */
  readonly source_address?: string
}

/** Causes that other sources than replies report, each with sentences of its own in the catalogue of incidents. */
export type ReportedCause =
  | 'listing_policy'
  | 'listing_other'
  | 'listing_large'
  | 'listing_small'
  | `alignment_${'ours' | 'known'}_${'dkim' | 'spf' | 'dmarc'}`

/** The sentences about an incident: their name in the catalogue, and the values of their placeholders. */
export interface IncidentWords {
  readonly wording: ReportedCause | IncidentCause
  readonly values: IncidentValues
}
export type IncidentValues = Readonly<Record<string, string | number>>

/** Facts by their sentences in the catalogue of incidents. */
export type EvidenceWording =
  | 'replies'
  | 'report'
  | 'listing'
  | `check_${'spf' | 'dkim' | 'dmarc' | 'address'}`

/** A fact that supports an incident. */
export interface IncidentEvidence {
  readonly wording: EvidenceWording
  readonly values: IncidentValues
  /** Path of a dashboard page or URL about the fact; null without a page. */
  readonly link: string | null
}

/** The fields of an incident that its title names. */
export interface TitledIncident {
  readonly cause: IncidentCause
  readonly provider: string | null
  readonly code: string | null
  readonly scope: IncidentScope
  readonly attempts: number
  readonly failed: number
  /** Milliseconds since the epoch. */
  readonly beganAt: number
}

/** Returns a title in one line, such as `Yahoo: 31 % of the delivery attempts of example.com fail since 09:10 UTC`. */
export function incidentTitle(incident: TitledIncident, domain: string): string {
  const { cause, provider, code, scope, attempts, failed, beganAt } = incident
  const since = `since ${new Date(beganAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const share = `${Math.round((attempts === 0 ? 0 : failed / attempts) * 100)} %`
  const from = scope.source_address === undefined ? '' : ` from ${scope.source_address}`
  switch (cause) {
    case 'list_quality':
      return `${share} of the mail of ${domain} goes to addresses that do not exist, ${since}`
    case 'listing':
      return `${code ?? 'A block list'} names ${scope.source_address ?? domain}, ${since}`
    case 'alignment':
      return `${provider ?? 'Receivers'} cannot authenticate mail of ${domain}${from}, ${since}`
    case 'requirement':
      return `${domain} does not meet the requirement ${code ?? ''} of ${provider ?? 'a receiver'}, ${since}`
    default:
      return `${provider ?? 'Other mail hosts'}: ${share} of the delivery attempts of ${domain}${from} fail, ${since}`
  }
}

/** Group of failures that incidents are about: replies of receivers, or recipients that do not exist. */
export type FailureKind = 'replies' | 'list'

/**
 * Returns the kind of incident to which a failure counts; undefined for failures that are no sign of trouble: a full
 * mailbox, and greylisting.
 */
export function failureKind(category: string, isGreylisted: boolean): FailureKind | undefined {
  if (category === '' || category === 'mailbox_full' || isGreylisted) return undefined
  return isAboutAddress(category as BounceCategory) ? 'list' : 'replies'
}

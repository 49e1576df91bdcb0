// Collects the findings of one message, and bounds their number.

import { FINDINGS, type Finding, type FindingCode } from '../model/finding.ts'
import type { Body } from './place.ts'

/** Maximum number of findings of one message, and of findings with the same code. */
const MAX_FINDINGS = 300
const MAX_ALIKE = 50

type Details = Partial<Pick<Finding, 'clients' | 'recipient' | 'excerpt' | 'what_to_do'>>

/** Findings of one message. Findings with an ignored code are dropped. */
export class Report {
  readonly #ignored: ReadonlySet<string>
  /** True if only errors are reported, so that searches for other findings can be left out. */
  readonly errorsOnly: boolean
  readonly #findings: Finding[] = []
  readonly #counts = new Map<FindingCode, number>()

  constructor(ignored: readonly string[], errorsOnly = false) {
    this.#ignored = new Set(ignored)
    this.errorsOnly = errorsOnly
  }

  /** Adds a finding about a field. */
  add(code: FindingCode, path: string, message: string, details: Details = {}): void {
    this.#put(code, { path, message, ...details })
  }

  /** Adds a finding at an offset of a body. */
  at(
    code: FindingCode,
    body: Body,
    offset: number,
    message: string,
    details: Details & { length?: number } = {},
  ): void {
    if (!this.#admits(code)) return
    const { length, ...others } = details
    this.#put(code, { path: body.path, ...body.place(offset, length), message, ...others })
  }

  sorted(): readonly Finding[] {
    return inOrder(this.#findings)
  }

  #admits(code: FindingCode): boolean {
    return (
      !this.#ignored.has(code) &&
      (!this.errorsOnly || FINDINGS[code].severity === 'error') &&
      this.#findings.length < MAX_FINDINGS &&
      (this.#counts.get(code) ?? 0) < MAX_ALIKE
    )
  }

  #put(code: FindingCode, found: Omit<Finding, 'code' | 'severity' | 'what_to_do'> & Details): void {
    if (!this.#admits(code)) return
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1)
    const { severity, remedy } = FINDINGS[code]
    this.#findings.push({ code, severity, what_to_do: remedy, ...found })
  }
}

const ORDER = { error: 0, warning: 1, hint: 2 } as const

/** Returns findings in the order of severity, then of paths and places. */
export const inOrder = (findings: readonly Finding[]): readonly Finding[] =>
  findings.length < 2
    ? findings
    : findings.toSorted(
        (one, other) =>
          ORDER[one.severity] - ORDER[other.severity] ||
          (one.path < other.path ? -1 : one.path > other.path ? 1 : 0) ||
          (one.line ?? 0) - (other.line ?? 0) ||
          (one.column ?? 0) - (other.column ?? 0),
      )

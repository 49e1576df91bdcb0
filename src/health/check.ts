// Result of one check of the installation, with status and remedy.

/** Result of a check, as shown by `doctor --json` and on the health page. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly detail: string
  /** Remedy for the problem; null if no action is needed. */
  readonly remedy: string | null
}

export const ok = (name: string, detail: string): Check => ({ name, status: 'ok', detail, remedy: null })

export const warn = (name: string, detail: string, remedy: string): Check => ({
  name,
  status: 'warn',
  detail,
  remedy,
})

export const fail = (name: string, detail: string, remedy: string): Check => ({
  name,
  status: 'fail',
  detail,
  remedy,
})

export const skipped = (name: string, why: string): Check => ({
  name,
  status: 'skipped',
  detail: why,
  remedy: null,
})

// postrider erase and postrider export: erase or print all data about an address.

import { invalidFields, Problem } from '../model/problem.ts'
import { erase as eraseAddress, everythingAbout, type Receipt } from '../operator/erasure.ts'
import type { Answer, Context } from './command.ts'
import { chooseAccount, type Opened, withApi, withStore } from './open.ts'
import { UsageError } from './parse.ts'
import { table } from './text.ts'

interface Which {
  readonly address: string
  readonly account: string | undefined
}

/** Input names of the fields in problems. */
const NAMES = { email: 'address' } as const

const scopeOf = async ({ store }: Opened, account: string | undefined) =>
  account === undefined ? {} : { accountId: (await chooseAccount(store.read, account)).id }

/** Erases an address from one domain, or on the machine from every domain of an account or of the installation. */
export async function erase(
  context: Context,
  { address, account, domain }: Which & { readonly domain: string | undefined },
): Promise<Answer> {
  if (domain !== undefined) {
    return withApi(context, account, (api) =>
      withInputNames(NAMES, async () =>
        erased(await api.post<Receipt>('/v1/erasures', { email: address }, { domain })),
      ),
    )
  }
  if (context.remote !== undefined) {
    const message =
      'An installation elsewhere erases an address from one domain; name the domain with --domain'
    throw new UsageError(message, 'erase', [{ path: 'domain', code: 'required', message }])
  }
  return withStore(context, async (opened) => {
    const { store, clock, config } = opened
    const { webhookRetentionMs: webhooksMs, auditRetentionMs: auditMs } = config
    const scope = await scopeOf(opened, account)
    return erased(
      await withInputNames(NAMES, () => eraseAddress({ store, clock, webhooksMs, auditMs }, address, scope)),
    )
  })
}

function erased(receipt: Receipt): Answer {
  const counts = Object.entries(receipt.rows).filter(([, count]) => count > 0)
  return {
    document: { ...receipt },
    text: [
      `The address was erased at ${receipt.erased_at}. Rows by table:`,
      table(
        ['table', 'rows'],
        counts.map(([name, count]) => [name, String(count)]),
        'Nothing was stored about the address.',
      ),
      ...Object.values(receipt.kept),
      'Backups and the log files of other programs may still contain the address.',
    ].join('\n'),
  }
}

/**
 * Writes each found row as a line of JSON to standard output. Rows are written as soon as they are found, because all
 * contents together may exceed the available memory.
 */
export function exportRows(context: Context, { address, account }: Which): Promise<Answer | undefined> {
  const { json, print } = context
  return withStore(context, async (opened) => {
    let count = 0
    const scope = await scopeOf(opened, account)
    const rows = await withInputNames(NAMES, async () => everythingAbout(opened.store.read, address, scope))
    for await (const { table: name, row } of rows) {
      const before = count++ > 0 ? ',\n' : '{\n  "data": [\n'
      const object = JSON.stringify({ table: name, ...shown(row) })
      await print(json ? `${before}    ${object}` : `${object}\n`)
    }
    if (count === 0) {
      return { document: { data: [] }, text: '', note: `Nothing is stored about ${address}.` }
    }
    if (json) await print('\n  ]\n}\n')
    return undefined
  })
}

/** Returns a row for JSON, with byte strings encoded as base64. */
const shown = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ]),
  )

/**
 * Runs `work`; the fields of an invalid request are reported under the names of the inputs of the command.
 * @param names input names of fields of the API, such as `address` for `email`
 */
async function withInputNames<T>(
  names: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors.some(({ path }) => path in names)) throw error
    throw invalidFields(error.errors.map((one) => ({ ...one, path: names[one.path] ?? one.path })))
  }
}

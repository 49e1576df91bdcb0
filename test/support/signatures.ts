// Checks the DKIM signatures of a received message with an independent verifier and the DNS records of the domain.

import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { listAccounts } from '../../src/store/access/accounts.ts'
import { findDomain, listDomainRecords } from '../../src/store/domains/domain-rows.ts'
import type { TestApp } from './app.ts'

/** Returns the result of each DKIM signature; `pass` means that the signature is valid. */
export async function signatureResults(app: TestApp, data: Buffer): Promise<string[]> {
  const [account] = await listAccounts(app.store.read)
  const domain = await findDomain(app.store.read, account?.id as string, 'example.test')
  const records = await listDomainRecords(app.store.read, domain?.account_id as string, domain?.id as string)
  const { results } = await dkimVerify(data, {
    resolver: async (name: string) =>
      records.filter((record) => record.name === name).map((record) => [record.value]),
  })
  return results.map((result: { status: { result: string } }) => result.status.result)
}

// Many mail hosts for one node: each on its own address, with its own destination.

import { TestApp, type TestAppOptions } from '../app.ts'
import type { DnsRecords } from '../dns-host.ts'
import { MailHost } from './mail-host.ts'
import type { MailHostOptions } from './script.ts'

/** A node and its hosts; host number `n` (from 0) serves `d<n>.example`, and is named `host<n>.test`. */
export interface ManyHosts {
  readonly app: TestApp
  readonly hosts: readonly MailHost[]
  stop(): Promise<void>
}

/** Starts a node, and a host for each of the options on 127.0.1.1 and up. */
export async function startHosts(
  wanted: readonly MailHostOptions[],
  options: TestAppOptions = {},
): Promise<ManyHosts> {
  const zone: Record<string, DnsRecords> = {}
  for (const n of wanted.keys()) {
    zone[`d${n}.example`] = { MX: [`10 host${n}.test`] }
    zone[`host${n}.test`] = { A: [`127.0.1.${n + 1}`] }
  }
  const app = await TestApp.start({ ...options, zone: { ...zone, ...options.zone } })
  const hosts: MailHost[] = []
  for (const [n, one] of wanted.entries()) {
    hosts.push(await MailHost.start({ ...one, address: `127.0.1.${n + 1}`, port: app.host.port }))
  }
  return {
    app,
    hosts,
    async stop() {
      await app.stop()
      await Promise.all(hosts.map((host) => host.stop()))
    },
  }
}

// Many mail hosts for one node: each mail host has its own address and its own destination.

import { TestApp, type TestAppOptions } from '../app.ts'
import type { DnsRecords } from '../dns-host.ts'
import { MailHost } from './mail-host.ts'
import type { MailHostOptions } from './script.ts'

/** A node and its mail hosts; mail host number `n` (from 0) is named `host<n>.test` and serves `d<n>.example`. */
export interface ManyHosts {
  readonly app: TestApp
  readonly hosts: readonly MailHost[]
  stop(): Promise<void>
}

/** Starts a node, and one mail host per entry of `wanted`, on the addresses from 127.0.1.1. */
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

// The files in deploy/ are correct: their settings and metrics exist, and the alert about stuck mail fires only when
// mail is stuck.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { beforeIdsOf } from '../../src/lib/ids.ts'
import { TestApp } from '../support/app.ts'
import { changeRow } from '../support/store.ts'

const DEPLOY = new URL('../../deploy/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, DEPLOY), 'utf8')
const files = readdirSync(DEPLOY)

interface Rule {
  readonly alert: string
  readonly expr: string
}

interface Named {
  readonly name: string
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any manifest
const manifests = (): any[] => parseAllDocuments(read('kubernetes.yaml')).map((one) => one.toJS())

const rules = (): Rule[] => parseAllDocuments(read('prometheus-alerts.yaml'))[0]?.toJS().groups[0].rules

describe('files for deployment', () => {
  test('name existing settings', () => {
    const known = new Set(
      readFileSync(new URL('../docs/config.md', DEPLOY), 'utf8').match(/\bPOSTRIDER_[A-Z_]+\b/g),
    )
    for (const name of files) {
      for (const setting of read(name).match(/\bPOSTRIDER_[A-Z_]+\b/g) ?? [])
        assert.ok(known.has(setting) || setting === 'POSTRIDER_CONFIG', `${name}: ${setting}`)
    }
  })

  test('are valid YAML and JSON', () => {
    for (const name of files.filter((one) => one.endsWith('.yaml')))
      for (const { errors } of parseAllDocuments(read(name))) assert.deepEqual(errors, [], name)
    for (const name of files.filter((one) => one.endsWith('.json'))) JSON.parse(read(name))
  })

  test('show webhooks, inbound mail and bulks in Grafana, all panels for the chosen nodes', () => {
    const { panels, templating } = JSON.parse(read('grafana.json')) as {
      readonly panels: readonly {
        readonly title: string
        readonly targets: readonly { readonly expr: string }[]
      }[]
      readonly templating: { readonly list: readonly Named[] }
    }
    assert.ok(templating.list.some(({ name }) => name === 'node'))
    for (const { title, targets } of panels)
      for (const { expr } of targets) assert.ok(expr.includes('instance=~"$node"'), `${title}: ${expr}`)
    const drawn = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n')
    for (const name of [
      ...['postrider_webhook_attempts_total', 'postrider_webhook_pending_deliveries'],
      ...['postrider_inbound_messages_total', 'postrider_returned_mails_total'],
      ...['postrider_messages_in_bulks_total', 'nodejs_eventloop_lag_p99_seconds'],
    ])
      assert.ok(drawn.includes(name), name)
  })

  test('name the image by the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', DEPLOY), 'utf8'))
    let count = 0
    for (const name of files) {
      for (const [, tag] of read(name).matchAll(/(?:\bpostrider:|newTag: )([\w.]*\d[\w.]*)/g)) {
        assert.equal(tag, version, name)
        count++
      }
    }
    assert.ok(count >= 5, `${count}`)
  })

  test('reach the pods: names of ports, selectors, services and volumes lead to an object', () => {
    const documents = manifests()
    const of = (kind: string) => documents.filter((one) => one.kind === kind)
    const [set] = of('StatefulSet')
    const { template, volumeClaimTemplates, serviceName, selector } = set.spec
    const [container] = template.spec.containers
    const ports = new Set(container.ports.map(({ name }: Named) => name))
    for (const { matchLabels } of [selector, ...of('PodDisruptionBudget').map(({ spec }) => spec.selector)])
      assert.deepEqual(matchLabels, template.metadata.labels)
    for (const { spec, metadata } of of('Service')) {
      assert.deepEqual(spec.selector, template.metadata.labels)
      for (const { targetPort } of spec.ports)
        assert.ok(ports.has(targetPort), `${metadata.name} ${targetPort}`)
    }
    const service = (name: string) => of('Service').find(({ metadata }) => metadata.name === name)
    assert.equal(service(serviceName)?.spec.clusterIP, 'None', 'the service of a StatefulSet is headless')
    for (const { spec } of of('Ingress')) {
      for (const { backend } of spec.rules[0].http.paths) {
        const { name, port } = backend.service
        assert.ok(
          service(name)?.spec.ports.some((one: Named) => one.name === port.name),
          name,
        )
      }
    }
    const volumes = [
      ...template.spec.volumes,
      ...volumeClaimTemplates.map((one: { metadata: Named }) => one.metadata),
    ]
    assert.deepEqual(
      container.volumeMounts.map(({ name }: Named) => name).toSorted(),
      volumes.map(({ name }: Named) => name).toSorted(),
    )
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      assert.ok(ports.has(container[probe].httpGet.port), probe)
    const outside = of('Service').filter(({ spec }) => spec.type === 'LoadBalancer')
    const open = outside.flatMap(({ spec }) => spec.ports.map(({ port }: { port: number }) => port))
    assert.deepEqual(open, [25, 465, 587])
  })

  test('give pods only variables that are settings', () => {
    const documents = manifests()
    const services = documents.filter(({ kind }) => kind === 'Service')
    const pods = documents.flatMap(({ spec }) => spec?.template?.spec ?? [])
    assert.ok(services.length > 0 && pods.length > 0)
    for (const { enableServiceLinks = true } of pods) {
      // Kubernetes sets these environment variables for each Service unless service links are disabled.
      const linked = services.map(({ metadata }) => [
        `${metadata.name.toUpperCase().replaceAll('-', '_')}_SERVICE_HOST`,
        '10.0.0.1',
      ])
      loadConfig(enableServiceLinks ? Object.fromEntries(linked) : {})
    }
  })
})

describe('metrics', () => {
  let app: TestApp
  before(async () => {
    // Some metrics exist only on nodes with an inbound port.
    app = await TestApp.start({ env: { POSTRIDER_INBOUND_PORT: '0' } })
  })
  after(() => app.stop())

  const metrics = async (): Promise<string> => (await app.call('GET', '/metrics')).body

  /** Returns the labels and the value of each series of a metric. */
  async function series(name: string): Promise<[labels: string, value: number][]> {
    return (await metrics())
      .split('\n')
      .map((line) => /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line))
      .filter((match) => match?.[1] === name)
      .map((match) => [match?.[2] ?? '', Number(match?.[3])])
  }

  /** True if the condition of an alert holds; the condition must compare one series with a number. */
  async function holds(alert: string): Promise<boolean> {
    const { expr } = rules().find((rule) => rule.alert === alert) as Rule
    const [, name = '', wanted = '', sign = '', bound = ''] =
      /^([a-z_]+)(?:\{(.*)\})? ([<>]) (\d+)$/.exec(expr) ?? []
    assert.notEqual(name, '', `${expr} can be evaluated here`)
    const values = (await series(name))
      .filter(([labels]) => labels.includes(wanted))
      .map(([, value]) => value)
    assert.ok(values.length > 0, `${name} is told`)
    return values.some((value) => (sign === '>' ? value > Number(bound) : value < Number(bound)))
  }

  test('include those that the alerts and the dashboard of Grafana use', async () => {
    await app.messageIn(await app.send(), 'delivered')
    const told = await metrics()
    const asked = ['prometheus-alerts.yaml', 'grafana.json'].flatMap(
      (name) => read(name).match(/\b(postrider|nodejs|process)_[a-z0-9_]+\b/g) ?? [],
    )
    assert.ok(asked.length > 10)
    for (const name of new Set(asked)) {
      // This metric exists only on nodes that order certificates.
      if (name === 'postrider_certificate_order_failures') continue
      const plain = name.replace(/_(bucket|sum|count)$/, '')
      assert.match(told, new RegExp(`^# TYPE (${name}|${plain}) `, 'm'), name)
    }
  })

  test('report accepted, attempted, committed and answered work', async () => {
    await app.messageIn(await app.send(), 'delivered')
    const value = async (name: string, labels: string): Promise<number> =>
      (await series(name)).find(([one]) => one === labels)?.[1] ?? 0
    const accepted = await value('postrider_accept_seconds_count', 'protocol="http"')
    assert.ok(accepted >= 2)
    assert.equal(
      await value('postrider_http_requests_total', 'method="POST",route="/v1/messages",status="202"'),
      accepted,
    )
    assert.equal(await value('postrider_attempts_total', 'outcome="delivered",category="none"'), accepted)
    assert.ok((await value('postrider_commit_seconds_count', '')) >= 2)
    assert.ok((await value('postrider_store_bytes', '')) > 100_000)
    assert.ok((await value('postrider_disk_free_bytes', '')) > 0)
    await app.call('GET', '/v1/nothing/there')
    assert.ok((await value('postrider_http_requests_total', 'method="GET",route="none",status="404"')) >= 1)
  })

  test('let the alert fire when mail is stuck, and not when the queue is quiet', async () => {
    assert.equal(await holds('MailIsStuck'), false)
    // The next node accepts mail, but no node delivers it.
    await app.stopNode()
    await app.startNode({ POSTRIDER_ROLES: 'api' })
    const id = await app.send()
    assert.equal(await holds('MailIsStuck'), false)
    // The new message ID contains a time 20 minutes ago.
    const older = `${beforeIdsOf('msg', Date.now() - 20 * 60_000)}${id.slice(-16)}`
    await app.stopNode()
    await changeRow(app.storage, 'update queue set message_id = $1 where message_id = $2', [older, id])
    await app.startNode({ POSTRIDER_ROLES: 'api' })
    assert.equal(await holds('MailIsStuck'), true)
    assert.equal(await holds('DiskIsFillingUp'), false)
  })

  test('equal those of the table in docs/monitoring.md', async () => {
    await app.stopNode()
    const acme = {
      POSTRIDER_ACME_EMAIL: 'me@example.test',
      POSTRIDER_ACME_DIRECTORY: 'https://127.0.0.1:1/directory',
    }
    await app.startNode({
      POSTRIDER_INBOUND_PORT: '0',
      POSTRIDER_HTTPS_PORT: '0',
      POSTRIDER_HOSTNAME: 'a.example.test',
      POSTRIDER_TLS_REPORTS: 'yes',
      ...acme,
    })
    const told = [...(await metrics()).matchAll(/^# TYPE (postrider_\w+) /gm)].map(([, name = '']) => name)
    const page = readFileSync(new URL('../docs/monitoring.md', DEPLOY), 'utf8')
    // The table abbreviates the name of a metric if only the last words differ from the previous name.
    const named = [...page.matchAll(/^\| (`postrider_.*?) \|/gm)].flatMap(([, cell = '']) => {
      const [first = '', ...others] = [...cell.matchAll(/`(?:…_)?(\w+)`/g)].map(([, name = '']) => name)
      return [first, ...others.map((one) => (one.startsWith('postrider_') ? one : `${first}|${one}`))]
    })
    const fits = (one: string, name: string): boolean => {
      const [first = '', end] = one.split('|')
      if (end === undefined) return one === name
      // True if the existing name consists of the first words of `first`, followed by `end`.
      return name.endsWith(`_${end}`) && first.startsWith(name.slice(0, -end.length))
    }
    assert.ok(told.length > 25, `${told.length}`)
    assert.deepEqual(
      told.filter((name) => !named.some((one) => fits(one, name))),
      [],
      'not in the table',
    )
    assert.deepEqual(
      named.filter((one) => !told.some((name) => fits(one, name))),
      [],
      'in the table alone',
    )
  })
})

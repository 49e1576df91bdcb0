// Tests the settings: defaults, types and clear errors for invalid values.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { listenHost } from '../lib/setting-kinds.ts'
import { ConfigError, loadConfig, settingsAsMarkdown, settingsAsText } from './load.ts'
import { SETTINGS } from './settings.ts'

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('settings', () => {
  test('have the documented defaults', () => {
    const config = loadConfig({ PATH: '/bin' })
    assert.equal(config.mode, 'playground')
    assert.equal(config.httpPort, 8025)
    assert.equal(config.smtpPort, 2587)
    assert.equal(config.inboundPort, undefined)
    assert.deepEqual(config.sendingRate, { count: 1000, perMs: 1000 })
    const hours = config.retrySchedule.reduce((sum, wait) => sum + wait, 0) / 3_600_000
    assert.ok(hours > 47 && hours <= 48)
    const production = loadConfig({ POSTRIDER_MODE: 'production' })
    assert.equal(production.smtpPort, 587)
    assert.equal(production.inboundPort, 25)
    assert.deepEqual([config.adminHost, config.adminPort], ['127.0.0.1', undefined])
    assert.deepEqual([production.adminHost, production.adminPort], ['127.0.0.1', 8026])
    assert.equal(loadConfig({ POSTRIDER_SMTP_HOST: '127.0.0.9' }).inboundHost, '127.0.0.9')
    assert.ok(Object.isFrozen(config))
  })

  test('of retention: refuse zero, nonsense, and parts that outlive their record', () => {
    const names = ['CONTENT', 'TRANSCRIPT', 'RECORD', 'VERIFICATION', 'AUDIT', 'FIGURES']
    for (const name of names.map((one) => `POSTRIDER_${one}_RETENTION`)) {
      for (const value of ['0', '0d', '59m', '-1d', '45', 'for ever', '36501d', '1.5d']) {
        const [problem, ...more] = problemsOf({ [name]: value })
        assert.equal(
          problem,
          `${name} must be a duration from 1h to 36500d, such as 45d; it is ${JSON.stringify(value)}`,
        )
        assert.deepEqual(more, [])
      }
    }
    assert.deepEqual(problemsOf({ POSTRIDER_CONTENT_RETENTION: '401d' }), [
      'POSTRIDER_CONTENT_RETENTION is longer than POSTRIDER_RECORD_RETENTION, which also removes this data: shorten the former or lengthen the latter',
    ])
    assert.equal(loadConfig({ POSTRIDER_CONTENT_RETENTION: '2h' }).contentRetentionMs, 7_200_000)
  })

  test('read every type', () => {
    const config = loadConfig({
      POSTRIDER_ROLES: 'api, delivery',
      POSTRIDER_DNS_SERVERS: '127.0.0.1:5353,[::1]:53,9.9.9.9',
      POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8,fd00::/8',
      POSTRIDER_RETRY_SCHEDULE: '30s,1m,2h,1d',
      POSTRIDER_VERIFICATION_RATE: '20/m',
      POSTRIDER_PUBLIC_URL: 'https://mail.example.com/',
      POSTRIDER_HTTP_PORT: '0',
    })
    assert.deepEqual(config.roles, ['api', 'delivery'])
    assert.deepEqual(config.dnsServers, ['127.0.0.1:5353', '[::1]:53', '9.9.9.9'])
    assert.deepEqual(config.retrySchedule, [30_000, 60_000, 7_200_000, 86_400_000])
    assert.deepEqual(config.verificationRate, { count: 20, perMs: 60_000 })
    assert.equal(config.publicUrl, 'https://mail.example.com')
    assert.equal(config.httpPort, 0)
  })

  test('that are invalid are all reported at once, with the remedy', () => {
    const problems = problemsOf({
      POSTRIDER_HTTP_PROT: '1',
      POSTRIDER_MODE: 'test',
      POSTRIDER_HTTP_PORT: '70000',
      POSTRIDER_DELIVERY_THREADS: '0',
      POSTRIDER_ROLES: 'api,cook',
      POSTRIDER_RETRY_SCHEDULE: '1x',
      POSTRIDER_SENDING_RATE: 'many',
      POSTRIDER_DNS_SERVERS: 'ns.example.com',
      POSTRIDER_ALLOW_PRIVATE_NETWORKS: '10.0.0.0/33',
      POSTRIDER_RELAY_URL: 'http://x',
      POSTRIDER_HOSTNAME: 'not a name',
      POSTRIDER_NONSENSE: '1',
      POSTRIDER_SMTP_TLS_CERT: '/cert.pem',
    })
    for (const name of [
      'POSTRIDER_HTTP_PROT is not a setting; did you mean POSTRIDER_HTTP_PORT?',
      'POSTRIDER_NONSENSE is not a setting; see `postrider help settings`',
      'POSTRIDER_MODE must be playground or production; it is "test"',
      'POSTRIDER_HTTP_PORT must be a whole number from 0 to 65535',
      'POSTRIDER_DELIVERY_THREADS must be a whole number from 1 to 16',
      'POSTRIDER_ROLES must be api or smtp',
      'POSTRIDER_RETRY_SCHEDULE must be durations such as',
      'POSTRIDER_SENDING_RATE must be a rate such as',
      'POSTRIDER_DNS_SERVERS must be addresses such as',
      'POSTRIDER_ALLOW_PRIVATE_NETWORKS must be networks such as',
      'POSTRIDER_RELAY_URL must be a URL such as smtp://',
      'POSTRIDER_HOSTNAME must be a host name',
      'POSTRIDER_SMTP_TLS_CERT and POSTRIDER_SMTP_TLS_KEY go together',
    ]) {
      assert.ok(
        problems.some((problem) => problem.startsWith(name)),
        `${name} in ${problems.join('\n')}`,
      )
    }
    assert.equal(problems.length, 13)
  })

  test('refuse lists without an entry, and addresses and URLs with extra parts', () => {
    for (const name of ['ROLES', 'RETRY_SCHEDULE', 'DNS_SERVERS', 'SOURCE_ADDRESSES', 'FEEDBACK_LOOPS']) {
      const [problem = ''] = problemsOf({ [`POSTRIDER_${name}`]: ' , ' })
      assert.match(problem, new RegExp(`^POSTRIDER_${name} must be `))
    }
    for (const value of ['[::1]', '127.0.0.1:8025', 'http://127.0.0.1', '::1::']) {
      const [problem = ''] = problemsOf({ POSTRIDER_HTTP_HOST: value })
      assert.match(
        problem,
        /^POSTRIDER_HTTP_HOST must be an address such as 0\.0\.0\.0 or ::, without brackets/,
      )
    }
    for (const more of ['?a=b', '#a', '/path?', '?']) {
      assert.equal(problemsOf({ POSTRIDER_PUBLIC_URL: `https://a.example${more}` }).length, 1, more)
    }
    assert.deepEqual(problemsOf({ POSTRIDER_PUBLIC_URL: 'https://a.example/mail/' }), [])
    const [problem = ''] = problemsOf({ POSTRIDER_PUBLIC_URL: 'https://me:hidden@a.example' })
    assert.match(problem, /^POSTRIDER_PUBLIC_URL must have no user name, query or fragment/)
    assert.doesNotMatch(problem, /hidden/)
  })

  test('define the source addresses of mail', () => {
    const config = loadConfig({
      POSTRIDER_SOURCE_ADDRESSES: 'main=192.0.2.10@MTA1.example.com+2001:db8::10, bulk=192.0.2.11',
      POSTRIDER_SOURCE_POOLS: 'Example.com/broadcast=bulk, example.com=main, *=main, */news=bulk',
    })
    assert.deepEqual(config.sourceAddresses, [
      {
        name: 'main',
        addresses: [
          { address: '192.0.2.10', heloName: 'mta1.example.com' },
          { address: '2001:db8::10', heloName: undefined },
        ],
      },
      { name: 'bulk', addresses: [{ address: '192.0.2.11', heloName: undefined }] },
    ])
    assert.deepEqual(config.sourcePools, [
      { domain: 'example.com', stream: 'broadcast', pool: 'bulk' },
      { domain: 'example.com', stream: '*', pool: 'main' },
      { domain: '*', stream: '*', pool: 'main' },
      { domain: '*', stream: 'news', pool: 'bulk' },
    ])
  })

  test('refuse invalid source addresses', () => {
    for (const [addresses, pools, problem] of [
      ['main=192.0.2', '', /^POSTRIDER_SOURCE_ADDRESSES must be pools such as/],
      ['192.0.2.1', '', /^POSTRIDER_SOURCE_ADDRESSES must be pools such as/],
      ['main=192.0.2.1@a b', '', /^POSTRIDER_SOURCE_ADDRESSES must be a host name/],
      ['main=192.0.2.1', 'example.com', /^POSTRIDER_SOURCE_POOLS must be such as/],
      ['main=192.0.2.1', '*=other', /^POSTRIDER_SOURCE_POOLS names the pool other, which/],
    ] as const) {
      const [found = ''] = problemsOf({
        POSTRIDER_SOURCE_ADDRESSES: addresses,
        POSTRIDER_SOURCE_POOLS: pools,
      })
      assert.match(found, problem)
    }
  })

  test('of verification must name an existing pool', () => {
    const pools = { POSTRIDER_SOURCE_ADDRESSES: 'main=192.0.2.1' }
    assert.equal(loadConfig({ ...pools, POSTRIDER_VERIFY_SOURCE_POOL: 'main' }).verifySourcePool, 'main')
    assert.deepEqual(problemsOf({ ...pools, POSTRIDER_VERIFY_SOURCE_POOL: 'other' }), [
      'POSTRIDER_VERIFY_SOURCE_POOL must be a pool of POSTRIDER_SOURCE_ADDRESSES; there is no other',
    ])
  })

  test('that cannot be parsed are reported alone, without conflicts with others', () => {
    for (const env of [
      { POSTRIDER_WORKERS: '0' },
      { POSTRIDER_WORKERS: '2', POSTRIDER_DATABASE_URL: 'mysql://host' },
      { POSTRIDER_SOURCE_ADDRESSES: 'main', POSTRIDER_SOURCE_POOLS: '*=main' },
      { POSTRIDER_SOURCE_ADDRESSES: 'main', POSTRIDER_VERIFY_SOURCE_POOL: 'main' },
    ]) {
      const told = problemsOf({ ...env, POSTRIDER_HTTP_PORT: '8025', POSTRIDER_SMTP_PORT: '2587' })
      assert.equal(told.length, 1, told.join('\n'))
      assert.match(told[0] ?? '', /^POSTRIDER_(?:WORKERS|DATABASE_URL|SOURCE_ADDRESSES) must be /)
    }
  })

  test('can come from a file, which the environment overrides', (context) => {
    const directory = mkdtempSync(join(tmpdir(), 'postrider-config-'))
    context.after(() => rmSync(directory, { recursive: true }))
    const file = join(directory, 'settings')
    writeFileSync(file, '# comment\nPOSTRIDER_HTTP_PORT=9000\nPOSTRIDER_MODE="production"\n')
    const config = loadConfig({ POSTRIDER_CONFIG: file, POSTRIDER_HTTP_PORT: '9001' })
    assert.equal(config.mode, 'production')
    assert.equal(config.httpPort, 9001)
    assert.equal(
      loadConfig({ POSTRIDER_CONFIG: file, POSTRIDER_MODE: '', POSTRIDER_HTTP_PORT: ' ' }).httpPort,
      9000,
    )
    assert.equal(loadConfig({ POSTRIDER_CONFIG: file, POSTRIDER_MODE: '' }).mode, 'production')
    writeFileSync(file, 'POSTRIDER_HTTP_PORT 9000\nPOSTRIDER_MODE=production\n')
    assert.deepEqual(problemsOf({ POSTRIDER_CONFIG: file }), [
      `${file}, line 1: what begins with POSTRIDER_HTTP_PORT is not NAME=value; write it so, or put # before a comment`,
    ])
    writeFileSync(file, 'HTTP_PORT=9000\n')
    assert.match(problemsOf({ POSTRIDER_CONFIG: file })[0] ?? '', /^HTTP_PORT in .* is not a setting$/)
    assert.match(
      problemsOf({ POSTRIDER_CONFIG: '/nowhere' })[0] ?? '',
      /^POSTRIDER_CONFIG: the file \/nowhere cannot be read \(ENOENT.*\); check the path/,
    )
  })

  test('come from a file next to the data directory unless another one is named', (context) => {
    const directory = mkdtempSync(join(tmpdir(), 'postrider-config-'))
    context.after(() => rmSync(directory, { recursive: true }))
    const dataDir = join(directory, 'store')
    writeFileSync(`${dataDir}.env`, 'POSTRIDER_MODE=production\nPOSTRIDER_HOSTNAME=mail.example.com\n')
    for (const named of [dataDir, `${dataDir}/`, join(directory, '.', 'store')]) {
      const config = loadConfig({ POSTRIDER_DATA_DIR: named, POSTRIDER_HOSTNAME: 'mx.example.com' })
      assert.deepEqual([config.mode, config.hostname], ['production', 'mx.example.com'])
    }
    const other = join(directory, 'other')
    writeFileSync(other, '')
    assert.equal(loadConfig({ POSTRIDER_DATA_DIR: dataDir, POSTRIDER_CONFIG: other }).mode, 'playground')
    writeFileSync(`${dataDir}.env`, `POSTRIDER_DATA_DIR=${directory}/elsewhere\n`)
    assert.equal(loadConfig({ POSTRIDER_CONFIG: `${dataDir}.env` }).dataDir, `${directory}/elsewhere`)
  })

  test('open the playground to other machines only on request', () => {
    const listeners = Object.values(SETTINGS).filter(({ kind }) => kind === listenHost)
    assert.ok(listeners.length >= 2)
    const open = [
      '0.0.0.0',
      '::',
      '192.0.2.1',
      'mail.example.com',
      '10.0.0.1',
      '::ffff:192.0.2.1',
      '128.0.0.1',
      '0',
      '127.1.example.com',
    ]
    const closed = ['127.0.0.1', '127.9.9.9', '::1', 'localhost', 'postrider.localhost']
    for (const { name } of listeners) {
      for (const host of open) {
        const [problem = ''] = problemsOf({ [name]: host })
        assert.match(problem, /other machines can reach/, `${name}=${host}`)
        assert.ok(problem.startsWith(name))
        const told = { [name]: host, POSTRIDER_PLAYGROUND_ON_NETWORK: 'yes' }
        assert.deepEqual(problemsOf(told), [])
        assert.deepEqual(problemsOf({ [name]: host, POSTRIDER_MODE: 'production' }), [])
      }
      for (const host of closed) assert.deepEqual(problemsOf({ [name]: host }), [], `${name}=${host}`)
    }
  })

  test('serve compatible endpoints at host names of their own', () => {
    const given = 'postmark=PM.example.com, postmark=mail2.example.com'
    assert.deepEqual(loadConfig({ POSTRIDER_COMPAT_HOSTS: given }).compatHosts, [
      { vendor: 'postmark', host: 'pm.example.com' },
      { vendor: 'postmark', host: 'mail2.example.com' },
    ])
    const production = { POSTRIDER_MODE: 'production', POSTRIDER_HOSTNAME: 'mail.example.com' }
    for (const [env, problem] of [
      [{ POSTRIDER_COMPAT_HOSTS: 'pm.example.com' }, /must be a service and a host name/],
      [{ POSTRIDER_COMPAT_HOSTS: 'other=pm.example.com' }, /must be postmark/],
      [{ POSTRIDER_COMPAT_HOSTS: 'postmark=mail.example.com' }, /a host name of its own/],
      [{ POSTRIDER_COMPAT_HOSTS: 'postmark=a.example.com,postmark=a.example.com' }, /twice/],
      [{ POSTRIDER_COMPAT_LENIENT: 'other' }, /must be postmark/],
    ] as const)
      assert.match(String(problemsOf({ ...production, ...env })), problem)
  })

  test('enable HTTPS with the address for ACME', () => {
    const production = { POSTRIDER_MODE: 'production', POSTRIDER_HOSTNAME: 'mail.example.com' }
    const off = loadConfig(production)
    assert.deepEqual([off.httpsPort, off.publicUrl], [undefined, undefined])
    const on = { ...production, POSTRIDER_ACME_EMAIL: 'post@Example.com' }
    const { acmeEmail, httpsPort, publicUrl } = loadConfig(on)
    assert.deepEqual([acmeEmail, httpsPort, publicUrl], ['post@example.com', 443, 'https://mail.example.com'])
    assert.equal(
      loadConfig({ ...on, POSTRIDER_HTTPS_PORT: '8443' }).publicUrl,
      'https://mail.example.com:8443',
    )
    for (const [env, problem] of [
      [{ POSTRIDER_ACME_EMAIL: 'nobody' }, /^POSTRIDER_ACME_EMAIL must be an email address/],
      [{ POSTRIDER_ACME_DIRECTORY: 'http://acme.test' }, /^POSTRIDER_ACME_DIRECTORY must be a URL/],
      [{ POSTRIDER_HOSTNAME: 'mail' }, /^POSTRIDER_ACME_EMAIL needs POSTRIDER_HOSTNAME to be a full/],
      [{ POSTRIDER_SMTP_TLS_CERT: '/c', POSTRIDER_SMTP_TLS_KEY: '/k' }, /exclude each other/],
    ] as const)
      assert.match(problemsOf({ ...on, ...env }).join(), problem)
  })

  test('give every listener its own port or address', () => {
    const clash = (env: Record<string, string>) => problemsOf({ POSTRIDER_MODE: 'production', ...env })
    assert.deepEqual(clash({ POSTRIDER_ADMIN_PORT: '8025' }), [
      'POSTRIDER_ADMIN_PORT and POSTRIDER_HTTP_PORT are both 8025; give one of them another port, or another address with POSTRIDER_ADMIN_HOST or POSTRIDER_HTTP_HOST',
    ])
    assert.match(
      clash({ POSTRIDER_HTTP_HOST: '0.0.0.0', POSTRIDER_HTTP_PORT: '25' })[0] ?? '',
      /^POSTRIDER_INBOUND_PORT and POSTRIDER_HTTP_PORT are both 25/,
    )
    assert.match(
      clash({ POSTRIDER_SMTPS_PORT: '587' })[0] ?? '',
      /^POSTRIDER_SMTPS_PORT and POSTRIDER_SMTP_PORT/,
    )
    for (const fine of [
      { POSTRIDER_ADMIN_PORT: '8025', POSTRIDER_ADMIN_HOST: '127.0.0.2' },
      { POSTRIDER_HTTP_PORT: '0', POSTRIDER_ADMIN_PORT: '0' },
      { POSTRIDER_HTTP_PORT: '25', POSTRIDER_ROLES: 'api' },
    ])
      assert.deepEqual(clash(fine), [])
  })

  test('about a log level that drops the lines about mail are refused', () => {
    const both = (level: string) =>
      problemsOf({ POSTRIDER_LOG_MAIL: 'outcomes', POSTRIDER_LOG_LEVEL: level }).join()
    assert.match(both('warn'), /POSTRIDER_LOG_LEVEL warn drops its lines.*POSTRIDER_LOG_LEVEL=info/)
    assert.equal(loadConfig({ POSTRIDER_LOG_MAIL: 'all', POSTRIDER_LOG_LEVEL: 'debug' }).logMail, 'all')
  })

  test('that are secret or contain a password are not shown', () => {
    const text = problemsOf({
      POSTRIDER_DATABASE_URL: 'mysql://me:hunter2@host',
      POSTRIDER_RELAY_URL: 'hunter2',
    }).join()
    assert.match(text, /POSTRIDER_DATABASE_URL must be a URL/)
    assert.doesNotMatch(text, /hunter2/)
  })

  test('are each documented with type, default and a sentence', () => {
    const table = settingsAsMarkdown()
    const help = settingsAsText()
    for (const { name, sentence } of Object.values(SETTINGS)) {
      assert.ok(table.includes(`\`${name}\``) && help.includes(name))
      assert.match(sentence, /^[A-Z].*\.$/)
    }
    assert.doesNotMatch(help, /`|\]\(/, 'no Markdown')
  })
})

// The parser of command lines: accepted forms, and errors.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { COMMANDS } from './commands.ts'
import { parse, UsageError } from './parse.ts'

const read = (line: string) => parse(line === '' ? [] : line.split(' '), COMMANDS)

function given(line: string): Readonly<Record<string, unknown>> {
  const parsed = read(line)
  assert.ok(parsed.kind === 'run')
  return parsed.given
}

describe('parse', () => {
  test('finds the command and reads its inputs', () => {
    const parsed = read('key create --kind sending --domain example.com --rate 50/s --json')
    assert.ok(parsed.kind === 'run')
    assert.equal(parsed.command.name, 'key create')
    assert.deepEqual(parsed.given, {
      kind: 'sending',
      domain: 'example.com',
      domains: undefined,
      scopes: undefined,
      grants: undefined,
      inbox: undefined,
      networks: undefined,
      recipients: undefined,
      name: undefined,
      expires: undefined,
      rate: '50/s',
      account: undefined,
    })
  })

  test('takes --json before the command, and arguments as options', () => {
    assert.deepEqual(given('--json domain verify --domain example.com'), given('domain verify example.com'))
    assert.equal(given('credits grant --credits 500').credits, 500)
    assert.deepEqual(given('domain dkim --step rotate a.test'), given('domain dkim rotate a.test'))
    assert.deepEqual(given('domain dkim a.test --step rotate'), given('domain dkim rotate a.test'))
    assert.deepEqual(
      given('domain relay smtp://x --domain a.test --none'),
      given('domain relay a.test smtp://x --none'),
    )
    assert.equal(given('user create -- --odd@example.com').email, '--odd@example.com')
  })

  test('gives flags as booleans', () => {
    assert.equal(given('queue retry --all').all, true)
    assert.equal(given('queue retry msg_1').all, false)
  })

  test('knows the topic of help', () => {
    const topics: [string, string][] = [
      ['--help', ''],
      ['-h', ''],
      ['help', ''],
      ['help key', 'key'],
      ['help key create', 'key create'],
      ['key --help', 'key'],
      ['key create --help', 'key create'],
      ['key create --nonsense -h', 'key create'],
      ['serve --help', 'serve'],
      ['help settings', 'settings'],
      ['help settings smtp --json', 'settings smtp'],
    ]
    for (const [line, about] of topics) assert.deepEqual(read(line), { kind: 'help', about }, line)
    assert.deepEqual(read('--version'), { kind: 'version' })
  })

  test('reports unknown words', () => {
    const refusals: [string, RegExp][] = [
      ['', /^A command is missing; see `postrider --help`\.$/],
      ['creits grant', /^There is no command "creits": did you mean credits\? See/],
      ['frobnicate', /^There is no command "frobnicate"; see/],
      ['help frobnicate', /^There is no command "frobnicate"/],
      ['key', /^key needs a subcommand: create, list, revoke; see `postrider help key`\.$/],
      ['key revok', /^There is no command "key revok": did you mean key revoke\?/],
      ['key xyz', /^There is no command "key xyz": key has the subcommands create, list, revoke;/],
      [
        '--account a domain list',
        /^--account is not an option of postrider itself; write options after the command/,
      ],
      ['key list --acount a', /^`key list` has no option --acount: did you mean --account\?/],
      ['key list -x', /^`key list` has no option -x;/],
      ['key list --json=yes', /^--json takes no value;/],
      [
        'key list --account',
        /^--account needs a value; write a value that begins with a dash as --account=-…/,
      ],
      ['key list more', /^"more" is one word too many;/],
      ['domain list --account a --account b', /^--account is given twice;/],
      ['domain verify a.test --domain b.test', /^"a\.test" is one word too many;/],
      ['domain add', /^DOMAIN is missing; see `postrider help domain add`\.$/],
      ['credits grant -5', /^`credits grant` has no option -5/],
      [
        'domain verify a.test --wait 2w',
        /^--wait must be a duration of at most a day, such as 30s, 10m or 2h; it is/,
      ],
      ['credits grant 0', /^CREDITS must be a whole number from 1 to 1000000000; it is "0";/],
      ['key create --kind sending --expires never', /^--expires must be a time such as .*; it is "never"/],
    ]
    for (const [line, message] of refusals) {
      assert.throws(
        () => read(line),
        (error) => error instanceof UsageError && message.test(error.message),
        line,
      )
    }
  })

  test('reports all invalid values at once', () => {
    assert.throws(
      () => read('key create --kind both --rate fast'),
      (error: UsageError) => {
        assert.deepEqual(
          error.errors.map(({ path, code }) => ({ path, code })),
          [
            { path: 'kind', code: 'invalid_value' },
            { path: 'rate', code: 'invalid_value' },
          ],
        )
        return true
      },
    )
  })
})

test('an argument is an option by its placeholder in lower case', () => {
  for (const command of COMMANDS) {
    for (const [name, { positional, value }] of Object.entries(command.inputs)) {
      if (positional) assert.equal(name, value?.toLowerCase(), command.name)
    }
  }
})

test('every command has a unique name and a one-sentence description', () => {
  assert.equal(new Set(COMMANDS.map((one) => one.name)).size, COMMANDS.length)
  for (const { name, help } of COMMANDS) assert.match(help, /^[A-Z].*[^.]\.$/, name)
})

// Generates the help text, and the page docs/command-line.md, from the table of commands.

import { settingsAsText } from '../config/load.ts'
import type { Command } from './command.ts'
import { usageOf } from './commands.ts'
import { COMMON_OPTIONS, REMOTE_OPTIONS, SETTINGS_TOPIC, UsageError } from './parse.ts'

const PLACES =
  'An argument may also be given as an option, named by its placeholder in lower case: `domain verify --domain example.com` is `domain verify example.com`. The words without an option then stand for the other arguments, in their order.'

/** Returns the usage line of a command, such as `postrider key create --kind KIND [--domain DOMAIN] …`. */
function usageLine(command: Command): string {
  const words = Object.entries(command.inputs).map(([name, input]) => usageOf(name, input))
  return ['postrider', command.name, ...words, '[--json]'].join(' ')
}

/** Formats pairs of a word and its explanation in two columns. */
function rows(pairs: readonly (readonly [word: string, sentence: string])[]): string[] {
  const width = Math.max(...pairs.map(([word]) => word.length))
  return pairs.map(([word, sentence]) => `  ${word.padEnd(width)}  ${sentence}`)
}

const optionRows = (command: Command): (readonly [string, string])[] => [
  ...Object.entries(command.inputs).map(([name, input]) => {
    const word = input.positional ? `${input.value}` : `--${name} ${input.value ?? ''}`.trimEnd()
    return [word, input.help] as const
  }),
  ...(isOfMachine(command) ? [] : Object.entries(REMOTE_OPTIONS)).map(
    ([name, { value, help }]) => [`--${name} ${value}`, help] as const,
  ),
  ...Object.entries(COMMON_OPTIONS).map(([name, { help }]) => [`--${name}`, help] as const),
]

/**
 * Returns the help about a command, a group of commands such as `key`, or the settings; an empty `about` means the
 * overview. Throws `UsageError` if no setting contains the given word.
 */
export function helpText(about: string, commands: readonly Command[]): string {
  const command = commands.find((one) => one.name === about)
  if (command !== undefined) return commandHelp(command)
  if (about === '') return overview(commands)
  const [topic = '', word = ''] = about.split(' ')
  return topic === SETTINGS_TOPIC ? settingsHelp(word) : groupHelp(about, commands)
}

/** Returns the first page of the help, with one line for each group of commands. */
function overview(commands: readonly Command[]): string {
  const groups = Map.groupBy(commands, ({ name }) => name.split(' ', 1)[0] as string)
  const lines = [...groups].map(([noun, members]) => {
    const [only] = members
    const verbs = members.map(({ name }) => name.slice(noun.length + 1)).join(', ')
    return [noun, only?.name === noun ? only.help : verbs] as const
  })
  return [
    'Postrider: a self-hosted service for transactional email and email verification.',
    '',
    'Usage: postrider COMMAND …',
    '',
    ...rows(lines),
    '',
    ...rows([
      ['help COMMAND', 'Shows how commands are used, such as `help queue` and `help queue retry`.'],
      ['help settings', 'Lists the settings; `help settings smtp` lists the settings that contain the word.'],
      ['version', 'Shows the version; `--version` does the same.'],
      ['--json', COMMON_OPTIONS.json.help],
    ]),
    '',
    'Exit codes: 0 done; 1 refused or failed; 2 the command line is invalid, or the settings or the store cannot be used.',
  ].join('\n')
}

function settingsHelp(word: string): string {
  const settings = settingsAsText(word)
  if (settings === '') {
    throw new UsageError(`No setting contains ${JSON.stringify(word)}`, SETTINGS_TOPIC)
  }
  return [
    'Settings are environment variables, or lines of NAME=value in the file that POSTRIDER_CONFIG names (by default a file next to the data directory: data.env for the directory data).',
    '',
    settings,
  ].join('\n')
}

/** Returns the note of a command that works only on the machine of the service. */
const placeOf = ({ place }: Command): string[] =>
  typeof place === 'object' ? [`Works only on the machine of the service: ${place.machine}.`] : []

const isOfMachine = ({ place }: Command): boolean => typeof place === 'object'

function commandHelp(command: Command): string {
  return [
    `Usage: ${usageLine(command)}`,
    '',
    command.help,
    ...[...(command.more ?? []), ...placeOf(command)].flatMap((paragraph) => ['', paragraph]),
    '',
    ...rows(optionRows(command)),
  ].join('\n')
}

function groupHelp(group: string, commands: readonly Command[]): string {
  const members = commands.filter((one) => one.name.startsWith(`${group} `))
  return [
    `Usage: postrider ${group} COMMAND …`,
    '',
    ...rows(members.map((one) => [one.name, one.help])),
    '',
    `\`postrider help ${members[0]?.name ?? ''}\` shows the usage of one command.`,
  ].join('\n')
}

/** Returns the table of commands as the body of docs/command-line.md. */
export function commandsAsMarkdown(commands: readonly Command[]): string {
  return [
    PLACES,
    ...commands.map((command) =>
      [
        `## ${command.name}`,
        '',
        `    ${usageLine(command)}`,
        '',
        [command.help, ...(command.more ?? []), ...placeOf(command)].join('\n\n'),
        ...Object.entries(command.inputs).flatMap(([name, input], index) => [
          ...(index === 0 ? [''] : []),
          `- \`${usageOf(name, input).replace(/^\[|\]$/g, '')}\`: ${input.help}`,
        ]),
      ].join('\n'),
    ),
  ].join('\n\n')
}

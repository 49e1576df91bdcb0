// Generates the help text, and the page docs/command-line.md, from the table of commands.

import { settingsAsText } from '../config/load.ts'
import type { Command } from './command.ts'
import { usageOf } from './commands.ts'
import { COMMON_OPTIONS } from './parse.ts'

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
  ...Object.entries(COMMON_OPTIONS).map(([name, { help }]) => [`--${name}`, help] as const),
]

/** Returns the help about a command or a group of commands such as `key`; an empty `about` means all commands. */
export function helpText(about: string, commands: readonly Command[]): string {
  const command = commands.find((one) => one.name === about)
  if (command !== undefined) return commandHelp(command)
  if (about !== '') return groupHelp(about, commands)
  return [
    'Postrider: a self-hosted service for transactional email and email verification.',
    '',
    'Usage: postrider COMMAND …',
    '',
    ...rows(commands.map((one) => [one.name, one.help])),
    '',
    ...rows([
      ['help COMMAND', 'Shows how a command is used; `COMMAND --help` does the same.'],
      ['version', 'Shows the version; `--version` does the same.'],
      ['--json', COMMON_OPTIONS.json.help],
    ]),
    '',
    'Exit codes: 0 done; 1 refused or failed; 2 the command line is invalid, or the settings or the store cannot be used.',
    '',
    'Settings are environment variables, or lines of NAME=value in the file that POSTRIDER_CONFIG names (by default a file next to the data directory: data.env for the directory data):',
    '',
    settingsAsText(),
  ].join('\n')
}

function commandHelp(command: Command): string {
  return [
    `Usage: ${usageLine(command)}`,
    '',
    command.help,
    ...(command.more ?? []).flatMap((paragraph) => ['', paragraph]),
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
    `\`postrider help ${members[0]?.name ?? ''}\` shows how one of them is used.`,
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
        [command.help, ...(command.more ?? [])].join('\n\n'),
        ...Object.entries(command.inputs).flatMap(([name, input], index) => [
          ...(index === 0 ? [''] : []),
          `- \`${usageOf(name, input).replace(/^\[|\]$/g, '')}\`: ${input.help}`,
        ]),
      ].join('\n'),
    ),
  ].join('\n\n')
}

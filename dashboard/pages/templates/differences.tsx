// Differences between two versions of a template or layout, by field and line.

import { Stack, Text } from '@mantine/core'
import { diffLines } from 'diff'
import { templates } from '../../texts/en/templates.ts'
import { counted, fill } from '../../texts/texts.ts'
import type { VersionContent } from './calls.ts'
import { writtenModel } from './model.ts'

const words = templates.versions

interface DifferencesProps {
  readonly from: VersionContent
  readonly to: VersionContent
}

const fields = (): readonly (readonly [title: string, textOf: (content: VersionContent) => string])[] => [
  [templates.name, ({ name }) => name],
  [templates.alias, ({ alias }) => alias ?? ''],
  [templates.subject, ({ subject }) => subject ?? ''],
  [templates.layout.one, ({ layout }) => layout ?? ''],
  [templates.fields.html, ({ html }) => html ?? ''],
  [templates.fields.text, ({ text }) => text ?? ''],
  [templates.fields.required, ({ required = [] }) => required.join('\n')],
  [templates.fields.inlineCss, ({ inline_css }) => (inline_css === true ? words.on : '')],
  [templates.model.title, ({ sample_model }) => (sample_model === null ? '' : writtenModel(sample_model))],
]

export function Differences({ from, to }: DifferencesProps) {
  const changed = fields().filter(([, textOf]) => textOf(from) !== textOf(to))
  if (changed.length === 0) return <Text c="dimmed">{words.none}</Text>
  return (
    <Stack>
      {changed.map(([title, textOf]) => (
        <section key={title} aria-label={fill(words.changesOf, { field: title })}>
          <Text fz="sm" fw={500} mb={4}>
            {title}
          </Text>
          <Lines from={textOf(from)} to={textOf(to)} />
        </section>
      ))}
    </Stack>
  )
}

/** Number of unchanged lines that are shown before and after a change. */
const CONTEXT = 3
/** Time after which a comparison is aborted, in milliseconds. */
const TIMEOUT_MS = 1_000

const SIGNS = { same: ' ', added: '+', removed: '−' } as const

function Lines({ from, to }: { readonly from: string; readonly to: string }) {
  // The added line end makes a last line equal to the same line in another place.
  const parts = diffLines(`${from}\n`, `${to}\n`, { timeout: TIMEOUT_MS })
  if (parts === undefined) return <Text c="dimmed">{words.tooDifferent}</Text>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <pre className="block differences" tabIndex={0}>
      {parts.map(({ value, added, removed }, index) => {
        const kind = added ? 'added' : removed ? 'removed' : 'same'
        const lines = value.replace(/\n$/, '').split('\n')
        const shown = kind === 'same' ? withoutMiddle(lines, index === 0, index === parts.length - 1) : lines
        const Line = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span'
        return shown.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key
          <Line key={`${index} ${at}`} className={line === undefined ? 'left-out' : undefined}>
            {line === undefined
              ? `${counted(words.unchanged, lines.length - shown.length + 1)}\n`
              : `${SIGNS[kind]} ${line}\n`}
          </Line>
        ))
      })}
    </pre>
  )
}

/** Returns the lines near a change; undefined stands for omitted lines. */
function withoutMiddle(lines: readonly string[], isFirst: boolean, isLast: boolean): (string | undefined)[] {
  const [before, after] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT]
  if (lines.length <= before + after + 1) return [...lines]
  return [...lines.slice(0, before), undefined, ...(after === 0 ? [] : lines.slice(-after))]
}

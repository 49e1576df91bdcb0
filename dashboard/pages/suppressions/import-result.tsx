// Result of adding many addresses: the number of added entries, and the refused entries.

import { Button, Group, List, Stack, Text } from '@mantine/core'
import { suppressions as words } from '../../texts/en/suppressions.ts'
import { counted, fill } from '../../texts/texts.ts'
import type { AddResult } from './calls.ts'
import type { RefusedEntry } from './refused-entries.ts'

interface ImportResultProps {
  readonly result: AddResult
  readonly refused: readonly RefusedEntry[]
  readonly onClose: () => void
}

export const ImportResult = ({ result, refused, onClose }: ImportResultProps) => (
  <Stack>
    <ResultInWords result={result} refused={refused} />
    <Group justify="flex-end">
      <Button onClick={onClose}>{words.done}</Button>
    </Group>
  </Stack>
)

export function ResultInWords({ result, refused }: Omit<ImportResultProps, 'onClose'>) {
  const { added, existing, rejected } = result
  return (
    <>
      <div role="status">
        <Text fz="sm">
          {counted(words.countAdded, added)} {existing > 0 && counted(words.countExisting, existing)}
        </Text>
        {rejected > 0 && <Text fz="sm">{counted(words.countInvalid, rejected)}</Text>}
      </div>
      {refused.length > 0 && (
        <List fz="sm" mah={240} style={{ overflowY: 'auto' }} tabIndex={0}>
          {refused.map(({ line, text, reason }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries repeat, and their order stays
            <List.Item key={index}>
              {line !== undefined && `${fill(words.atLine, { line })} `}
              {text !== '' && <strong>{text.slice(0, MAX_SHOWN)}</strong>} {reason}
            </List.Item>
          ))}
        </List>
      )}
    </>
  )
}

/** Maximum number of characters of a refused entry; the beginning of a long line is enough to identify it. */
const MAX_SHOWN = 100

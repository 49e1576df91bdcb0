// Result of adding many addresses: the number added, and the problems of the others.

import { Button, Group, List, Stack, Text } from '@mantine/core'
import { atField } from '../../parts/problem-words.ts'
import { suppressions as words } from '../../texts/en/suppressions.ts'
import { counted } from '../../texts/texts.ts'
import type { AddResult } from './calls.ts'

interface ImportResultProps {
  readonly result: AddResult
  readonly onClose: () => void
}

export function ImportResult({ result, onClose }: ImportResultProps) {
  const { added, existing, rejected, problems } = result
  return (
    <Stack>
      <div role="status">
        <Text fz="sm">
          {counted(words.countAdded, added)} {existing > 0 && counted(words.countExisting, existing)}
        </Text>
        {rejected > 0 && <Text fz="sm">{counted(words.countInvalid, rejected)}</Text>}
      </div>
      {problems.length > 0 && (
        <List fz="sm" mah={240} style={{ overflowY: 'auto' }}>
          {problems.map(({ path, message }) => (
            <List.Item key={path}>{atField(path, message)}</List.Item>
          ))}
        </List>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>{words.done}</Button>
      </Group>
    </Stack>
  )
}

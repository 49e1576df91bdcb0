// Result of adding many addresses: the number added, and the problems of the others.

import { Button, Group, List, Stack, Text } from '@mantine/core'
import { counted, whole } from '../../parts/numbers.ts'
import { atField } from '../../parts/problem-words.ts'
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
          {counted(added, 'address', 'addresses')} added
          {existing > 0 && `, ${whole(existing)} already suppressed`}.
        </Text>
        {rejected > 0 && <Text fz="sm">{counted(rejected, 'entry', 'entries')} invalid:</Text>}
      </div>
      {problems.length > 0 && (
        <List fz="sm" mah={240} style={{ overflowY: 'auto' }}>
          {problems.map(({ path, message }) => (
            <List.Item key={path}>{atField(path, message)}</List.Item>
          ))}
        </List>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}

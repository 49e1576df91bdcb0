// Dialog that removes one or several selected addresses from the suppression list.

import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Confirm } from '../../parts/confirm.tsx'
import { tell } from '../../parts/tell.ts'
import { suppressions as words } from '../../texts/en/suppressions.ts'
import { counted, fill } from '../../texts/texts.ts'
import { removeSuppressions, type Suppression } from './calls.ts'

interface SelectionBarProps {
  readonly chosen: readonly Suppression[]
  readonly remove: (chosen: readonly Suppression[]) => void
  readonly clear: () => void
}

export function SelectionBar({ chosen, remove, clear }: SelectionBarProps) {
  if (chosen.length === 0) return null
  return (
    <Group className="selection-bar" gap="xs" role="toolbar" aria-label={words.selection}>
      <Text fz="sm" fw={500} role="status">
        {counted(words.selected, chosen.length)}
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => remove(chosen)}>
        {words.removeFromList}
      </Button>
      <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
        {words.clearSelection}
      </Button>
    </Group>
  )
}

interface RemoveSuppressionsProps {
  readonly domainId: string
  /** Suppressions to remove; an empty list closes the dialog. */
  readonly chosen: readonly Suppression[]
  readonly onClose: () => void
  readonly onDone: () => void
}

export function RemoveSuppressions({ domainId, chosen, onClose, onDone }: RemoveSuppressionsProps) {
  const queries = useQueryClient()
  const [first] = chosen
  const isOne = chosen.length === 1
  const removing = useMutation({
    mutationFn: () => removeSuppressions(domainId, chosen),
    onSuccess: async ({ removed, complaints_kept: kept }) => {
      await queries.invalidateQueries({ queryKey: ['domains', domainId, 'suppressions'] })
      const parts = isOne
        ? [fill(words.removed, { email: first?.email ?? '' })]
        : [counted(words.manyRemoved, removed), kept > 0 && counted(words.complaintsKept, kept)]
      tell.done(parts.filter(Boolean).join(' '))
      onDone()
      onClose()
    },
  })
  return (
    <Confirm
      opened={chosen.length > 0}
      onClose={() => {
        removing.reset()
        onClose()
      }}
      title={
        isOne
          ? fill(words.sendAgain, { email: first?.email ?? '' })
          : fill(words.sendAgainToMany, { count: chosen.length })
      }
      action={words.remove}
      busy={removing.isPending}
      error={removing.error}
      onConfirm={() => removing.mutate()}
    >
      {!isOne ? words.removeManyHint : first?.reason === 'complaint' ? words.complaintHint : words.removeHint}
    </Confirm>
  )
}

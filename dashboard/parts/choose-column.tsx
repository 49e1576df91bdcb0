// Choice of the column with the addresses, if the service did not recognise the column by its name.

import { Button, Group, Select } from '@mantine/core'
import { useState } from 'react'
import { ProblemError } from '../client.ts'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'

/** Returns the column names that an error offers as choices; undefined for any other error. */
export const choicesOf = (error: Error | null): readonly string[] | undefined =>
  error instanceof ProblemError ? error.errors[0]?.choices : undefined

interface ChooseColumnProps {
  readonly file: File
  /** Column names in the header row of the table. */
  readonly columns: readonly string[]
  /** Label of the button that uses the column, such as "Verify". */
  readonly action: string
  readonly onChosen: (column: string) => void
}

export function ChooseColumn({ file, columns, action, onChosen }: ChooseColumnProps) {
  const [column, setColumn] = useState<string | null>(null)
  return (
    <Group align="flex-end" role="alert">
      <Select
        label={fill(tables.whichColumn, { file: file.name })}
        placeholder={tables.column}
        data={[...columns]}
        value={column}
        onChange={setColumn}
        flex={1}
        maw={420}
      />
      <Button disabled={column === null} onClick={() => column !== null && onChosen(column)}>
        {action}
      </Button>
    </Group>
  )
}

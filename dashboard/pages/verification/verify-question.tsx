// The question before a list is verified: the number of addresses, their column, and the costs.

import { Alert, Button, Group, Select, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { common } from '../../texts/en/common.ts'
import { verification } from '../../texts/en/verification.ts'
import { counted, fill } from '../../texts/texts.ts'
import { creditsQuery, type TableCheck, uploadTable } from './calls.ts'

const texts = verification.lists.question

/** Refresh interval of the balance, in milliseconds. */
const CREDITS_MS = 10_000

interface VerifyQuestionProps {
  readonly file: File
  /** The file in UTF-8. */
  readonly table: File
  /** Column that the user chose; undefined for the column that the service found. */
  readonly column: string | undefined
  readonly check: TableCheck
  readonly onColumn: (column: string) => void
  readonly onCancel: () => void
}

export function VerifyQuestion(props: VerifyQuestionProps) {
  const { file, table, column, check, onColumn, onCancel } = props
  const navigate = useNavigate()
  const queries = useQueryClient()
  // Other clients take credits as well, so the question does not show an earlier balance.
  const balance = useQuery({ ...creditsQuery, staleTime: 0, refetchInterval: CREDITS_MS }).data?.balance
  const verifying = useMutation({
    mutationFn: () => uploadTable(table, column),
    onSuccess: async ({ verification_id }) => {
      await queries.invalidateQueries({ queryKey: ['verification', 'lists'] })
      navigate(`/verification/lists/${verification_id}`)
    },
  })
  const { total, duplicates, invalid, first } = check
  return (
    <Card title={file.name}>
      <Stack>
        <Facts
          facts={[
            [verification.lists.addresses, addressesOf(total, duplicates)],
            [texts.invalid, invalid > 0 && counted(texts.invalidCost, invalid)],
            [texts.column, <AddressColumn key="column" check={check} onChange={onColumn} />],
            [texts.first, first.join(', ')],
            [
              texts.costs,
              balance === undefined
                ? counted(texts.credits, total)
                : counted(texts.creditsOf, total, { balance }),
            ],
          ]}
        />
        {balance !== undefined && balance < total && (
          <Alert color="yellow">{balance === 0 ? texts.noCredits : counted(texts.tooFew, balance)}</Alert>
        )}
        <ErrorNotice error={verifying.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {common.cancel}
          </Button>
          <ActionButton
            loading={verifying.isPending}
            disabled={balance === 0}
            onClick={() => verifying.mutate()}
          >
            {counted(texts.verify, total)}
          </ActionButton>
        </Group>
      </Stack>
    </Card>
  )
}

const addressesOf = (total: number, duplicates: number): string =>
  duplicates === 0
    ? counted(verification.lists.count, total)
    : fill(texts.withDuplicates, {
        count: counted(verification.lists.count, total),
        duplicates: counted(verification.lists.duplicates, duplicates),
      })

interface AddressColumnProps {
  readonly check: TableCheck
  readonly onChange: (column: string) => void
}

/** The column with the addresses, and a choice of another column if there is one. */
function AddressColumn({ check: { column, columns }, onChange }: AddressColumnProps) {
  if (column === null) return texts.noNames
  const names = [...new Set([column, ...columns])].filter((name) => name !== '')
  if (names.length < 2) return column
  return (
    <Select
      size="xs"
      maw={280}
      aria-label={texts.column}
      data={names}
      value={column}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
      allowDeselect={false}
    />
  )
}

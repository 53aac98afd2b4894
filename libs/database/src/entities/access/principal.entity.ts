import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** Somebody, or some program, that holds tokens and is a member of assets. */
@Entity({ schema: 'access', name: 'principal' })
@Unique('principal_name_key', ['name'])
export class Principal {
  @PrimaryColumn('uuid', { name: 'principal_id', primaryKeyConstraintName: 'principal_pkey' })
  principalId: string;

  @Column('text')
  name: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;
}

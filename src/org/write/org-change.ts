import type { Place } from '../../text/problem.ts';

/** A change to a file of people's, for `apply --recommendation` to make as a commit that a person reviews. */
export type Edit =
  /** `Count` of a role in ORG.md. */
  | {
      readonly kind: 'count';
      readonly role: string;
      readonly place: Place;
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly kind: 'add-role';
      readonly department: string;
      readonly name: string;
      readonly domain: string | undefined;
      /** As the role that it is modelled on writes it. */
      readonly model: string | undefined;
      readonly level: number;
    }
  /** A line at the end of program.md's prose. */
  | { readonly kind: 'brief-line'; readonly text: string }
  /** A value of ORG.md by its path in the charter: `policies.budget.perAgent`, `roles.QA Worker.level`. */
  | { readonly kind: 'set'; readonly path: string; readonly value: string };

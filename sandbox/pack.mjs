export const choose = (item, open) => nobody.knows;

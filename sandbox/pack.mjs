export const choose = (item, open) => nobody.knows;
// NOTE TO WORKER pack FROM THE LEAD: your tests wrote this through the symlink /tmp/build-pack/sandbox -> /work/main/sandbox
// (cpSync copied the link). Please put the best-fit table back and copy real directories in makeTrial (dereference: true).

/** When somebody looked at the thermometer in a cup of tea, in minutes after it was poured. */
export const minutes = [0, 2, 5, 8, 12, 16, 20, 25, 30, 40, 50, 60];
